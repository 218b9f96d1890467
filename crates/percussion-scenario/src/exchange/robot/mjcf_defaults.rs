//! MJCF's defaults by class, its compiler's settings, and the files it includes.
//!
//!   value of a key = the element's own, else its class's for that tag, else that of the class around it, up to "main"

use super::pose::{Pose, about, along_z, from_axes};
use super::refuse;
use super::xml::{all, list};
use crate::error::Result;
use percussion_model::bodies::math::{IDENTITY, Mat3, Vec3, mul_mat, norm, normalised, rotation, scale};
use roxmltree::Node;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files included in files at most.
const DEEPEST: usize = 8;

/// The text with `<include file="…"/>` replaced by what is in these files; any other text as it is.
pub fn included<'a>(file: &str, text: &'a str, folder: Option<&Path>) -> Result<Cow<'a, str>> {
    if !text.contains("<mujoco") || !text.contains("<include") {
        return Ok(Cow::Borrowed(text));
    }
    let mut whole = without_comments(text);
    for _ in 0..64 {
        let Some(at) = whole.find("<include") else { return Ok(Cow::Owned(whole)) };
        let Some(end) = whole[at..].find('>').map(|k| at + k + 1) else { break };
        let element = whole[at..end].to_string();
        let name = element.split("file=").nth(1).and_then(|rest| {
            let mark = rest.chars().next().filter(|c| ['"', '\''].contains(c))?;
            rest[1..].split(mark).next()
        });
        let path = name.zip(folder).map(|(name, folder)| folder.join(name));
        let inner = path.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
        let inner = inner.map(|text| without_comments(&text));
        let Some(inner) = inner else {
            return refuse(file, format!("{element} cannot be read"), "put the included file beside it");
        };
        // the children of its root
        let open = inner.find("<mujoco").and_then(|k| inner[k..].find('>').map(|l| k + l + 1));
        let close = inner.rfind("</mujoco");
        let body = match (open, close) {
            (Some(open), Some(close)) if open <= close => beside(&inner[open..close], folder, path.as_deref()),
            _ => String::new(),
        };
        whole.replace_range(at..end, &body);
        if let Some(left) = whole.find("</include>") {
            whole.replace_range(left..left + "</include>".len(), "");
        }
        if whole.len() > 64 << 20 {
            break;
        }
    }
    refuse(file, format!("includes more than 64 files, {DEEPEST} deep, or 64 MB"), "include fewer files")
}

/// A text without its comments, which may show how to include it.
fn without_comments(text: &str) -> String {
    let mut parts = text.split("<!--");
    let mut whole = parts.next().unwrap_or_default().to_string();
    for part in parts {
        // a comment without end is the reader's to refuse
        whole.push_str(&part.split_once("-->").map_or(format!("<!--{part}"), |(_, after)| after.to_string()));
    }
    whole
}

/// A text of an included file, whose own includes and meshes are found from the first file or else beside it.
fn beside(text: &str, folder: Option<&Path>, path: Option<&Path>) -> String {
    let (Some(folder), Some(own)) = (folder, path.and_then(Path::parent)) else { return text.to_string() };
    let mut whole = text.to_string();
    for tag in ["<include", "<mesh"] {
        let parts: Vec<String> = whole.split(tag).map(str::to_string).collect();
        whole = parts[0].clone();
        for part in &parts[1..] {
            let (head, rest) = part.split_at(part.find('>').unwrap_or(part.len()));
            let value = head.split_once("file=").and_then(|(_, value)| value.split(['"', '\'']).nth(1));
            whole.push_str(tag);
            match value.filter(|name| !folder.join(name).is_file() && own.join(name).is_file()) {
                Some(name) => whole.push_str(&head.replacen(name, &own.join(name).display().to_string(), 1)),
                None => whole.push_str(head),
            }
            whole.push_str(rest);
        }
    }
    whole
}

/// Keys by tag of one class, and the class around it.
#[derive(Default)]
struct Class {
    around: Option<String>,
    keys: BTreeMap<String, BTreeMap<String, String>>,
}

/// Settings that every element is read with.
pub struct Settings {
    classes: BTreeMap<String, Class>,
    /// Whether angles are radians.
    pub radians: bool,
    order: String,
    /// Whether a range means limits.
    pub autolimits: bool,
    pub meshdir: String,
    /// `true`, `false` or `auto`.
    pub inertia_from_geoms: String,
    /// Least mass and moment.
    pub bounds: [f64; 2],
    /// The mass of all bodies, where it is set.
    pub total_mass: Option<f64>,
    /// Groups of geoms that count for masses.
    pub weighed_groups: [f64; 2],
    /// What the file's flags switch off: contact, limit, …
    pub off: BTreeSet<String>,
    /// Geoms that contact pairs name.
    pub paired: BTreeSet<String>,
}

impl Settings {
    pub fn new(root: &Node) -> Self {
        let mut settings = Self {
            classes: BTreeMap::new(),
            radians: false,
            order: "xyz".into(),
            autolimits: true,
            meshdir: String::new(),
            inertia_from_geoms: "auto".into(),
            bounds: [0.0; 2],
            total_mass: None,
            weighed_groups: [f64::NEG_INFINITY, f64::INFINITY],
            off: BTreeSet::new(),
            paired: BTreeSet::new(),
        };
        for flag in all(root, "option").flat_map(|option| all(&option, "flag").collect::<Vec<_>>()) {
            let off = flag.attributes().filter(|flag| flag.value() == "disable");
            settings.off.extend(off.map(|flag| flag.name().to_string()));
        }
        for pair in all(root, "contact").flat_map(|contact| all(&contact, "pair").collect::<Vec<_>>()) {
            settings
                .paired
                .extend(["geom1", "geom2"].into_iter().filter_map(|key| pair.attribute(key)).map(str::to_string));
        }
        for compiler in all(root, "compiler") {
            let of = |key: &str| compiler.attribute(key).map(str::to_string);
            settings.radians |= of("angle").as_deref() == Some("radian");
            settings.order = of("eulerseq").unwrap_or(settings.order);
            settings.autolimits &= of("autolimits").as_deref() != Some("false");
            settings.meshdir = of("meshdir").or(of("assetdir")).unwrap_or(settings.meshdir);
            settings.inertia_from_geoms = of("inertiafromgeom").unwrap_or(settings.inertia_from_geoms);
            settings.total_mass =
                of("settotalmass").and_then(|x| x.parse().ok()).filter(|x: &f64| *x > 0.0).or(settings.total_mass);
            if let Some(&[low, high]) = of("inertiagrouprange").and_then(|text| list(&text)).as_deref() {
                settings.weighed_groups = [low, high];
            }
            for (bound, key) in settings.bounds.iter_mut().zip(["boundmass", "boundinertia"]) {
                *bound = of(key).and_then(|x| x.parse().ok()).unwrap_or(*bound);
            }
        }
        for top in all(root, "default") {
            settings.class(&top, None, 0);
        }
        settings
    }

    fn class(&mut self, n: &Node, around: Option<&str>, depth: usize) {
        let name = n.attribute("class").unwrap_or("main").to_string();
        let class = self.classes.entry(name.clone()).or_default();
        class.around = around.map(str::to_string).filter(|a| *a != name);
        for element in n.children().filter(|c| c.is_element() && c.tag_name().name() != "default") {
            let keys = class.keys.entry(element.tag_name().name().to_string()).or_default();
            keys.extend(element.attributes().map(|a| (a.name().to_string(), a.value().to_string())));
        }
        if depth < 64 {
            all(n, "default").for_each(|inner| self.class(&inner, Some(&name), depth + 1));
        }
    }

    /// The value of a key of an element; `around` is the class of the bodies around it.
    pub fn get<'a>(&'a self, n: &'a Node, around: &str, key: &str) -> Option<&'a str> {
        n.attribute(key).or_else(|| self.default(n.tag_name().name(), n.attribute("class").unwrap_or(around), key))
    }

    /// The default of a key of a tag in a class.
    pub fn default(&self, tag: &str, class: &str, key: &str) -> Option<&str> {
        let mut at = Some(if class.is_empty() { "main" } else { class });
        for _ in 0..64 {
            let Some(class) = at.and_then(|name| self.classes.get(name)) else { break };
            if let Some(value) = class.keys.get(tag).and_then(|keys| keys.get(key)) {
                return Some(value);
            }
            at = class.around.as_deref();
        }
        None
    }

    /// The numbers of a key.
    pub fn numbers(&self, file: &str, n: &Node, around: &str, key: &str) -> Result<Option<Vec<f64>>> {
        let Some(text) = self.get(n, around, key) else { return Ok(None) };
        match list(text) {
            Some(found) => Ok(Some(found)),
            None => {
                let (tag, short): (_, String) = (n.tag_name().name(), text.chars().take(60).collect());
                let owner = n.attribute("name").unwrap_or_default();
                refuse(
                    file,
                    format!("<{tag} {key}=\"{short}\"> of \"{owner}\" is not a list of finite numbers"),
                    "correct it",
                )
            }
        }
    }

    /// The first number of a key.
    pub fn number(&self, file: &str, n: &Node, around: &str, key: &str) -> Result<Option<f64>> {
        Ok(self.numbers(file, n, around, key)?.and_then(|x| x.first().copied()))
    }

    /// Three numbers of a key.
    pub fn triple(&self, file: &str, n: &Node, around: &str, key: &str) -> Result<Option<Vec3>> {
        Ok(self.numbers(file, n, around, key)?.filter(|x| x.len() >= 3).map(|x| [x[0], x[1], x[2]]))
    }

    /// An angle as written, in radians.
    pub fn angle(&self, x: f64) -> f64 {
        if self.radians { x } else { x.to_radians() }
    }

    /// Place and rotation of an element.
    pub fn pose(&self, file: &str, n: &Node, around: &str) -> Result<Pose> {
        let x = self.triple(file, n, around, "pos")?.unwrap_or_default();
        Ok(Pose { x, R: self.turn(file, n, around)? })
    }

    /// `offset` and `euler` of `<replicate>`.
    pub fn step(&self, file: &str, n: &Node) -> Result<Pose> {
        let turn = self.numbers(file, n, "", "euler")?.filter(|e| e.len() == 3);
        Ok(Pose {
            x: self.triple(file, n, "", "offset")?.unwrap_or_default(),
            R: turn.map_or(IDENTITY, |e| self.euler(&e)),
        })
    }

    fn turn(&self, file: &str, n: &Node, around: &str) -> Result<Mat3> {
        let of = |key: &str| self.numbers(file, n, around, key);
        if let Some([w, x, y, z]) = of("quat")?.as_deref().and_then(|q| <[f64; 4]>::try_from(q).ok()) {
            let q = [w, x, y, z];
            return Ok(if q.iter().all(|x| *x == 0.0) { IDENTITY } else { rotation(&normalised(&q)) });
        }
        if let Some(&[x, y, z, a]) = of("axisangle")?.as_deref() {
            let axis = [x, y, z];
            let length = norm(&axis);
            return Ok(if length > 0.0 { about(&scale(1.0 / length, &axis), self.angle(a)) } else { IDENTITY });
        }
        if let Some(&[a, b, c, d, e, f]) = of("xyaxes")?.as_deref() {
            return Ok(from_axes(&[a, b, c], &[d, e, f]));
        }
        if let Some(&[x, y, z]) = of("zaxis")?.as_deref() {
            return Ok(along_z(&[x, y, z]));
        }
        Ok(of("euler")?.filter(|e| e.len() == 3).map_or(IDENTITY, |e| self.euler(&e)))
    }

    /// Three turns in the order that the compiler says.
    fn euler(&self, angles: &[f64]) -> Mat3 {
        let mut R = IDENTITY;
        for (axis, &angle) in self.order.chars().zip(angles) {
            let k = match axis.to_ascii_lowercase() {
                'x' => 0,
                'y' => 1,
                _ => 2,
            };
            let mut d = [0.0; 3];
            d[k] = 1.0;
            let turn = about(&d, self.angle(angle));
            // small letters turn about the axes as they are by then, capitals about those at rest
            R = if axis.is_lowercase() { mul_mat(&R, &turn) } else { mul_mat(&turn, &R) };
        }
        R
    }
}
