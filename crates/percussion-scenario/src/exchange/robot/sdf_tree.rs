//! An SDF file as a tree in which the models it includes stand where it names them.
//!
//!   `<include merge>` uri, name, pose, static:    model://NAME is a folder NAME, found upwards from the file, with a model.config

use super::{refuse, xml};
use crate::error::Result;
use roxmltree::Node;
use std::path::{Path, PathBuf};

/// Models within models, and elements in all, at most.
const DEEPEST: usize = 16;
const MOST: usize = 2_000_000;

/// An element, owned.
#[derive(Clone, Debug, Default)]
pub struct Element {
    pub tag: String,
    pub attributes: Vec<(String, String)>,
    pub text: String,
    pub children: Vec<Element>,
}

impl Element {
    pub fn attribute(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    pub fn name(&self) -> &str {
        self.attribute("name").unwrap_or_default()
    }

    pub fn all<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.tag == tag)
    }

    pub fn child(&self, tag: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.tag == tag)
    }

    /// The text of a child.
    pub fn words(&self, tag: &str) -> Option<&str> {
        self.child(tag).map(|child| child.text.trim())
    }

    /// Whether a child says so.
    pub fn says(&self, tag: &str) -> bool {
        self.words(tag).is_some_and(|text| ["1", "true"].contains(&text))
    }

    fn set(&mut self, key: &str, value: &str) {
        self.attributes.retain(|(name, _)| name != key);
        self.attributes.push((key.into(), value.into()));
    }

    fn replace(&mut self, with: &Element) {
        self.children.retain(|child| child.tag != with.tag);
        self.children.push(with.clone());
    }
}

/// What is known while a file is read.
pub struct Reader<'a> {
    pub file: &'a str,
    pub notes: Vec<String>,
    count: usize,
}

impl<'a> Reader<'a> {
    pub fn new(file: &'a str) -> Self {
        Self { file, notes: Vec::new(), count: 0 }
    }

    /// The tree of an element of a file in a folder, of this version of SDF.
    pub fn tree(&mut self, n: &Node, folder: Option<&Path>, version: &str, depth: usize) -> Result<Element> {
        self.count += 1;
        if depth > DEEPEST * 8 || self.count > MOST {
            return refuse(self.file, format!("has more than {MOST} elements, or is too deep"), "give a smaller file");
        }
        let mut here = Element {
            tag: n.tag_name().name().to_string(),
            attributes: n.attributes().map(|a| (a.name().to_string(), a.value().to_string())).collect(),
            text: n.text().unwrap_or_default().to_string(),
            children: Vec::new(),
        };
        if here.tag == "model" {
            here.set("version of sdf", version);
        }
        if here.tag == "uri"
            && !here.text.contains("://")
            && let Some(folder) = folder
        {
            here.text = format!("file://{}", folder.join(here.text.trim()).display());
        }
        let model_or_world = ["model", "world", "sdf"].contains(&here.tag.as_str());
        for child in n.children().filter(Node::is_element) {
            if child.tag_name().name() == "include" && model_or_world {
                here.children.extend(self.included(&child, folder, depth)?);
            } else if child.tag_name().name() != "plugin" && child.tag_name().name() != "sensor" {
                here.children.push(self.tree(&child, folder, version, depth + 1)?);
            }
        }
        Ok(here)
    }

    /// The model that an `<include>` names.
    fn included(&mut self, n: &Node, folder: Option<&Path>, depth: usize) -> Result<Option<Element>> {
        let as_written = self.tree(n, None, "", depth + 1)?;
        let uri = as_written.words("uri").unwrap_or_default().to_string();
        let found = folder.and_then(|folder| model_file(folder, &uri));
        let Some(path) = found.filter(|_| depth < DEEPEST * 8) else {
            self.notes
                .push(format!("the model \"{uri}\", which is not found: looked for upwards from the file's folder"));
            return Ok(None);
        };
        let readable = std::fs::metadata(&path).is_ok_and(|there| there.len() < 64 << 20);
        let Some(text) = readable.then(|| std::fs::read_to_string(&path).ok()).flatten() else {
            self.notes.push(format!("the model \"{uri}\", which cannot be read"));
            return Ok(None);
        };
        let text = xml::with_prefixes(&text);
        let document = xml::parse(&path.display().to_string(), &text)?;
        let root = document.root_element();
        let version = root.attribute("version").unwrap_or_default();
        let model = root.children().find(|c| c.tag_name().name() == "model");
        let Some(model) = model else {
            self.notes.push(format!("the model \"{uri}\", whose file holds none"));
            return Ok(None);
        };
        let mut model = self.tree(&model, path.parent(), version, depth + 8)?;
        for tag in ["pose", "static"] {
            as_written.child(tag).into_iter().for_each(|own| model.replace(own));
        }
        if let Some(name) = as_written.words("name") {
            model.set("name", name);
        }
        if as_written.attribute("merge").is_some_and(|merge| ["1", "true"].contains(&merge)) {
            model.set("merge", "true");
        }
        Ok(Some(model))
    }
}

/// The file of a model named by `model://NAME`, by an address that ends with NAME, or by a path.
fn model_file(folder: &Path, uri: &str) -> Option<PathBuf> {
    let plain = uri.split_once("://").map_or(uri, |(_, rest)| rest).trim_end_matches('/');
    let by_path = uri.starts_with("model://") || uri.starts_with("package://") || !uri.contains("://");
    let name = if by_path { plain } else { plain.rsplit('/').next().unwrap_or(plain) };
    let folder = folder.canonicalize().ok()?;
    folder.ancestors().take(12).find_map(|at| {
        ["", "models"].iter().find_map(|inner| {
            let there = at.join(inner).join(name);
            if there.is_file() {
                return Some(there);
            }
            there.is_dir().then(|| main_file(&there)).flatten()
        })
    })
}

/// The newest file that `model.config` names, or `model.sdf`.
fn main_file(folder: &Path) -> Option<PathBuf> {
    let config = std::fs::read_to_string(folder.join("model.config")).ok();
    let named = config.as_deref().and_then(|text| {
        let document = xml::parse("model.config", text).ok()?;
        let mut files: Vec<(String, String)> = xml::all(&document.root_element(), "sdf")
            .map(|n| {
                (
                    n.attribute("version").unwrap_or_default().to_string(),
                    n.text().unwrap_or_default().trim().to_string(),
                )
            })
            .collect();
        files.sort();
        files.pop().map(|(_, file)| folder.join(file))
    });
    named.filter(|path| path.is_file()).or_else(|| Some(folder.join("model.sdf")).filter(|path| path.is_file()))
}
