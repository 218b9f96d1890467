//! What an MJCF body holds, as if written in it: the content of `<frame>` is placed by it, that of `<replicate>` as often as it says.
//!
//!   the k-th copy stands at D^k, D of `offset` and `euler`

use super::mjcf_defaults::Settings;
use super::pose::Pose;
use super::refuse;
use crate::error::Result;
use roxmltree::Node;

/// Frames within frames, and parts of one body, at most.
const DEEPEST: usize = 64;
const MOST: usize = 100_000;

/// An element of a body.
pub struct Part<'a, 'b> {
    pub node: Node<'a, 'b>,
    /// The class of the bodies and frames around it.
    pub around: String,
    /// The frame it is written in, seen from the body.
    pub frame: Pose,
    /// What a copy adds to its names.
    pub suffix: String,
}

impl Part<'_, '_> {
    pub fn tag(&self) -> &str {
        self.node.tag_name().name()
    }

    /// Its name, where it has one.
    pub fn name(&self) -> Option<String> {
        self.node.attribute("name").map(|name| format!("{name}{}", self.suffix))
    }
}

/// The elements of a body, through frames and copies.
pub fn parts<'a, 'b>(
    settings: &Settings,
    file: &str,
    n: &Node<'a, 'b>,
    around: &str,
    suffix: &str,
) -> Result<Vec<Part<'a, 'b>>> {
    let mut found = Vec::new();
    gather(settings, file, n, (around, &Pose::IDENTITY, suffix), 0, &mut found)?;
    Ok(found)
}

fn gather<'a, 'b>(
    settings: &Settings,
    file: &str,
    n: &Node<'a, 'b>,
    (around, frame, suffix): (&str, &Pose, &str),
    depth: usize,
    found: &mut Vec<Part<'a, 'b>>,
) -> Result<()> {
    if depth > DEEPEST || found.len() > MOST {
        return refuse(file, format!("has frames more than {DEEPEST} deep or more than {MOST} parts"), "give fewer");
    }
    for child in n.children().filter(Node::is_element) {
        match child.tag_name().name() {
            "frame" => {
                let inner = frame.then(&settings.pose(file, &child, "")?);
                let class = child.attribute("childclass").unwrap_or(around);
                gather(settings, file, &child, (class, &inner, suffix), depth + 1, found)?;
            }
            "replicate" => {
                let count = settings.number(file, &child, "", "count")?.unwrap_or(1.0);
                if !(1.0..=10_000.0).contains(&count) {
                    return refuse(file, format!("<replicate> with a count of {count}"), "give 1 to 10000");
                }
                let (count, sep) = (count as usize, child.attribute("sep").unwrap_or_default());
                let step = settings.step(file, &child)?;
                let digits = (count - 1).to_string().len();
                let mut at = *frame;
                for k in 0..count {
                    let own = format!("{suffix}{sep}{k:0digits$}");
                    gather(settings, file, &child, (around, &at, &own), depth + 1, found)?;
                    at = at.then(&step);
                }
            }
            _ => {
                found.push(Part { node: child, around: around.to_string(), frame: *frame, suffix: suffix.to_string() })
            }
        }
    }
    Ok(())
}
