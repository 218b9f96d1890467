//! The page of a diagram or a basin: points to zoom into, and the motion behind the one that is clicked. One file, nothing loaded.
//!
//! The script is `viewer/src/diagram`, kept built in `assets/`; numbers travel in one block (`pack.rs`).

use crate::escape::escape;
use crate::pack::Pack;
use crate::page::{STYLE, head, policy};
use crate::payload::inert;
use crate::sections;
use serde_json::{Value, json};

static SCRIPT: &str = include_str!("../assets/diagram.js");
static DIAGRAM_STYLE: &str = include_str!("../assets/diagram.css");

/// Points of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiagramCloud {
    /// What they are called.
    pub name: String,
    /// The number of their colour.
    pub colour: usize,
    /// Where they are.
    pub points: Vec<(f64, f64)>,
    /// The motion behind each: its place in the list of orbits.
    pub orbit: Vec<Option<usize>>,
}

/// A motion over some periods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiagramOrbit {
    /// What it is.
    pub name: String,
    /// Samples in a period.
    pub every: usize,
    /// When [s].
    pub t: Vec<f64>,
    /// A coordinate and its velocity, for each coordinate shown.
    pub states: Vec<(Vec<f64>, Vec<f64>)>,
}

/// What the page shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiagramPage {
    /// Its title.
    pub title: String,
    /// Below it: the scheme and what was cut.
    pub caption: String,
    /// A second line of it: how far what is shown can be trusted; nothing where empty.
    pub remark: String,
    /// The abscissa.
    pub x_label: String,
    /// The ordinate.
    pub y_label: String,
    /// Width and height of a cell; zero for points.
    pub cell: (f64, f64),
    /// Names of coordinates and velocities.
    pub coordinates: Vec<(String, String)>,
    /// The points.
    pub clouds: Vec<DiagramCloud>,
    /// The motions.
    pub orbits: Vec<DiagramOrbit>,
}

impl DiagramPage {
    /// The page.
    pub fn render(&self) -> String {
        let styles = [STYLE, DIAGRAM_STYLE];
        let mut page = head(&self.title, &policy(&[SCRIPT], &styles), &styles);
        let remark = match self.remark.as_str() {
            "" => String::new(),
            words => format!("\n<p class=\"sub\">{}</p>", escape(words)),
        };
        page.push_str(&format!(
            "<body>\n<header><h1>{}</h1>\n<p class=\"sub\">{}</p>{remark}</header>\n<main><div id=\"diagram\"></div>\n\
             <p class=\"caption\">Wheel, pinch or a box drawn with the mouse zooms; a finger, or Shift and the mouse, moves; a double click \
             shows everything; a click shows the motion behind a point.</p>\n\
             <noscript><p>This page draws by a script; the figures beside it need none.</p></noscript></main>\n",
            escape(&self.title),
            escape(&self.caption)
        ));
        page.push_str(sections::FOOTER);
        let mut pack = Pack::default();
        let data = inert(&self.data(&mut pack).to_string());
        let parts = [("application/json", "diagram-data", data), ("text/plain", "diagram-columns", pack.text())];
        for (kind, id, text) in parts {
            page.push_str(&format!("<script type=\"{kind}\" id=\"{id}\">{text}</script>\n"));
        }
        page.push_str(&format!("<script>{SCRIPT}</script>\n</body>\n</html>\n"));
        page
    }

    fn data(&self, pack: &mut Pack) -> Value {
        let clouds: Vec<Value> = self.clouds.iter().map(|cloud| cloud.data(pack)).collect();
        let orbits: Vec<Value> = self.orbits.iter().map(|orbit| orbit.data(pack)).collect();
        json!({
            "x": self.x_label, "y": self.y_label, "cell": [self.cell.0, self.cell.1], "coordinates": self.coordinates,
            "clouds": clouds, "orbits": orbits,
        })
    }
}

impl DiagramCloud {
    fn data(&self, pack: &mut Pack) -> Value {
        let orbit = self.orbit.iter().map(|orbit| orbit.map_or(-1.0, |k| k as f64));
        json!({
            "name": self.name, "colour": self.colour,
            "x": pack.doubles(self.points.iter().map(|point| point.0)),
            "y": pack.doubles(self.points.iter().map(|point| point.1)),
            "orbit": pack.singles(orbit),
        })
    }
}

impl DiagramOrbit {
    fn data(&self, pack: &mut Pack) -> Value {
        let states: Vec<[Value; 2]> = self
            .states
            .iter()
            .map(|(q, v)| [pack.singles(q.iter().copied()), pack.singles(v.iter().copied())])
            .collect();
        json!({ "name": self.name, "every": self.every, "t": pack.singles(self.t.iter().copied()), "states": states })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names cannot end the page's elements, and its policy lets nothing be loaded.
    #[test]
    fn names_are_inert() {
        let wild = "</script><script>alert(1)</script>";
        let cloud =
            DiagramCloud { name: wild.into(), points: vec![(1.0, 2.0)], orbit: vec![None], ..Default::default() };
        let page = DiagramPage { title: wild.into(), x_label: wild.into(), clouds: vec![cloud], ..Default::default() };
        let text = page.render();
        assert!(!text.contains("<script>alert"), "a name became a script");
        assert!(text.contains("default-src 'none'") && text.contains("id=\"diagram-data\""));
        assert_eq!(text, page.render());
    }
}
