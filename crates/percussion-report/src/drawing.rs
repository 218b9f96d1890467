//! A figure of ours read back from its SVG, for those who write it as pixels or as PDF: paths, letters as outlines, and their colours.
//!
//! It knows what `svg.rs` writes and nothing else: `svg` in `svg`, `g`, `path` of M, L, H, V and Z, `text`, one `rect` behind all, and a
//! style sheet of classes and elements (`.plot .soft text`). One drawing therefore serves every kind of file.

use crate::font::Font;
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

/// Size of letters [px].
const LETTERS: f32 = 13.0;
/// The weight from which letters are bold.
const BOLD: f32 = 600.0;

/// Part of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    Move([f32; 2]),
    Line([f32; 2]),
    /// By way of a control point.
    Quad([f32; 2], [f32; 2]),
    Close,
}

/// A colour and how much it covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ink {
    pub rgb: [u8; 3],
    pub alpha: f32,
}

/// How a path is stroked; its joins are round.
#[derive(Clone, Debug, PartialEq)]
pub struct Pen {
    pub ink: Ink,
    pub width: f32,
    /// Lengths of lines and of gaps between them in turn; empty for a line without gaps.
    pub dash: Vec<f32>,
    /// Whether ends are round; else they are cut.
    pub round: bool,
}

/// A path with its colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub path: Vec<Segment>,
    pub fill: Option<Ink>,
    pub stroke: Option<Pen>,
}

/// What is drawn, in the order in which it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    pub size: [f32; 2],
    pub pieces: Vec<Piece>,
}

/// A figure of ours; none if it is not.
pub fn read(svg: &str) -> Option<Drawing> {
    let document = Document::parse(svg).ok()?;
    let root = document.root_element();
    let bounds = numbers(root.attribute("viewBox")?);
    let [_, _, width, height] = bounds[..] else { return None };
    let style = root.descendants().find(|node| node.has_tag_name_of("style")).and_then(|node| node.text());
    let reader = Reader { rules: rules(style.unwrap_or_default()), fonts: [Font::regular()?, Font::bold()?] };
    let mut drawing = Drawing { size: [width, height], pieces: Vec::new() };
    reader.children(root, [0.0, 0.0], &mut drawing)?;
    Some(drawing)
}

trait Named {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl Named for Node<'_, '_> {
    // with or without SVG's namespace
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

struct Reader<'a> {
    rules: Vec<Rule<'a>>,
    fonts: [Font; 2],
}

impl Reader<'_> {
    fn children(&self, node: Node, shift: [f32; 2], drawing: &mut Drawing) -> Option<()> {
        let number = |node: Node, key: &str| node.attribute(key).and_then(|x| x.parse::<f32>().ok()).unwrap_or(0.0);
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "svg" => self.children(child, [shift[0], shift[1] + number(child, "y")], drawing)?,
                "g" => self.children(child, shift, drawing)?,
                "rect" => {
                    let [w, h] = drawing.size;
                    let corners = [[w, 0.0], [w, h], [0.0, h]];
                    let mut path = vec![Segment::Move([0.0, 0.0])];
                    path.extend(corners.map(Segment::Line));
                    path.push(Segment::Close);
                    let fill = child.attribute("fill").and_then(colour).map(|rgb| Ink { rgb, alpha: 1.0 });
                    drawing.pieces.push(Piece { path, fill, stroke: None });
                }
                "path" => {
                    let style = self.style(child);
                    let path = segments(child.attribute("d").unwrap_or_default(), shift)?;
                    drawing.pieces.push(Piece { path, fill: fill(&style), stroke: pen(&style) });
                }
                "text" => {
                    let (style, text) = (self.style(child), child.text().unwrap_or_default().trim());
                    let heavy = style.get("font-weight").and_then(|x| x.parse::<f32>().ok()).is_some_and(|x| x >= BOLD);
                    let font = &self.fonts[usize::from(heavy)];
                    let before = match child.attribute("text-anchor") {
                        Some("middle") => 0.5,
                        Some("end") => 1.0,
                        Some(_) | None => 0.0,
                    };
                    let x = shift[0] + number(child, "x") - before * font.width(text, LETTERS);
                    let path = font.outlines(text, LETTERS, [x, shift[1] + number(child, "y")]);
                    drawing.pieces.push(Piece { path, fill: fill(&style), stroke: None });
                }
                // what is told, not drawn
                _ => {}
            }
        }
        Some(())
    }

    /// What the rules say of an element, the more particular and then the later one last, and before them all its own `style`.
    fn style<'n>(&'n self, node: Node<'n, '_>) -> BTreeMap<&'n str, &'n str> {
        let mut matching: Vec<&Rule> = self.rules.iter().filter(|rule| rule.means(node)).collect();
        matching.sort_by_key(|rule| rule.weight());
        let mut style: BTreeMap<&str, &str> = matching.iter().flat_map(|rule| rule.says.iter().copied()).collect();
        style.extend(node.attribute("style").map(declarations).unwrap_or_default());
        style
    }
}

/// A selector, an element with its classes after those it stands in, and what it says.
struct Rule<'a> {
    within: Vec<(&'a str, Vec<&'a str>)>,
    says: Vec<(&'a str, &'a str)>,
}

impl Rule<'_> {
    fn means(&self, node: Node) -> bool {
        let Some((last, outer)) = self.within.split_last() else { return false };
        if !answers(node, last) {
            return false;
        }
        let mut above = node.ancestors().skip(1);
        outer.iter().rev().all(|part| above.any(|node| answers(node, part)))
    }

    /// Classes count before elements.
    fn weight(&self) -> (usize, usize) {
        let classes = self.within.iter().map(|(_, classes)| classes.len()).sum();
        (classes, self.within.iter().filter(|(tag, _)| !tag.is_empty()).count())
    }
}

fn answers(node: Node, (tag, classes): &(&str, Vec<&str>)) -> bool {
    let own = node.attribute("class").unwrap_or_default();
    let has = |class: &&str| own.split_whitespace().any(|word| word == *class);
    node.is_element() && (tag.is_empty() || node.tag_name().name() == *tag) && classes.iter().all(has)
}

fn rules(sheet: &str) -> Vec<Rule<'_>> {
    let mut rules = Vec::new();
    for (selectors, says) in sheet.split('}').filter_map(|block| block.split_once('{')) {
        for selector in selectors.split(',') {
            let mut within = Vec::new();
            for word in selector.split_whitespace() {
                let mut parts = word.split('.');
                within.push((parts.next().unwrap_or_default(), parts.collect()));
            }
            rules.push(Rule { within, says: declarations(says) });
        }
    }
    rules
}

fn declarations(text: &str) -> Vec<(&str, &str)> {
    text.split(';').filter_map(|one| one.split_once(':')).map(|(key, value)| (key.trim(), value.trim())).collect()
}

fn fill(style: &BTreeMap<&str, &str>) -> Option<Ink> {
    let rgb = style.get("fill").map_or(Some([0; 3]), |value| colour(value))?;
    Some(Ink { rgb, alpha: 1.0 })
}

fn pen(style: &BTreeMap<&str, &str>) -> Option<Pen> {
    let number = |key: &str| style.get(key).and_then(|value| value.parse::<f32>().ok());
    let rgb = style.get("stroke").and_then(|value| colour(value))?;
    Some(Pen {
        ink: Ink { rgb, alpha: number("stroke-opacity").unwrap_or(1.0) },
        width: number("stroke-width").unwrap_or(1.0),
        dash: style.get("stroke-dasharray").map(|value| numbers(value)).unwrap_or_default(),
        round: style.get("stroke-linecap") == Some(&"round"),
    })
}

/// #rgb or #rrggbb.
fn colour(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#')?;
    let all = u32::from_str_radix(digits, 16).ok()?;
    match digits.len() {
        3 => Some([8, 4, 0].map(|shift| ((all >> shift) & 15) as u8 * 17)),
        6 => Some([16, 8, 0].map(|shift| (all >> shift) as u8)),
        _ => None,
    }
}

fn numbers(text: &str) -> Vec<f32> {
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// The data of a path, as short as `curve.rs` writes them: a minus sign or a second point separates numbers too.
fn segments(data: &str, shift: [f32; 2]) -> Option<Vec<Segment>> {
    let bytes = data.as_bytes();
    let (mut out, mut k, mut command) = (Vec::new(), 0, b' ');
    let (mut at, mut start) = ([0.0_f32; 2], [0.0_f32; 2]);
    let placed = |p: [f32; 2]| [p[0] + shift[0], p[1] + shift[1]];
    loop {
        while bytes.get(k).is_some_and(|b| matches!(b, b' ' | b',' | b'\n')) {
            k += 1;
        }
        let Some(&byte) = bytes.get(k) else { return Some(out) };
        if byte.is_ascii_alphabetic() {
            (command, k) = (byte, k + 1);
            if matches!(command, b'z' | b'Z') {
                out.push(Segment::Close);
                at = start;
            }
            continue;
        }
        let mut number = || -> Option<f32> {
            while bytes.get(k) == Some(&b' ') {
                k += 1;
            }
            let (from, mut points) = (k, 0);
            k += usize::from(bytes.get(k) == Some(&b'-'));
            while let Some(b) = bytes.get(k).filter(|b| b.is_ascii_digit() || **b == b'.') {
                points += usize::from(*b == b'.');
                if points > 1 {
                    break;
                }
                k += 1;
            }
            data.get(from..k)?.parse().ok()
        };
        match command {
            b'M' => {
                at = [number()?, number()?];
                start = at;
                out.push(Segment::Move(placed(at)));
                // further pairs are lines
                command = b'L';
                continue;
            }
            b'L' => at = [number()?, number()?],
            b'l' => at = [at[0] + number()?, at[1] + number()?],
            b'H' => at[0] = number()?,
            b'h' => at[0] += number()?,
            b'V' => at[1] = number()?,
            b'v' => at[1] += number()?,
            _ => return None,
        }
        out.push(Segment::Line(placed(at)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_are_written() {
        use Segment::{Close, Line, Move};
        let found = segments("M66 -.5H524v2.5l.6.25-1-2 3 4zM1 2h0", [0.0, 1.0]).expect("a path");
        let wanted = vec![
            Move([66.0, 0.5]),
            Line([524.0, 0.5]),
            Line([524.0, 3.0]),
            Line([524.6, 3.25]),
            Line([523.6, 1.25]),
            Line([526.6, 5.25]),
            Close,
            Move([1.0, 3.0]),
            Line([1.0, 3.0]),
        ];
        assert_eq!(found, wanted);
        assert_eq!(segments("M0 0C1 2 3 4 5 6", [0.0; 2]), None);
    }

    /// The more particular rule speaks, whatever its place; an element's own style speaks last.
    #[test]
    fn rules_are_weighed() {
        let svg = "<svg viewBox=\"0 0 10 20\" class=\"plot\"><style>.plot .soft text,.plot text.soft{fill:#5b6675}.plot text{fill:#1c2430}\
                   .plot path{fill:none;stroke-width:1.6;stroke-linecap:round}.plot .c0{stroke:#2460d8}</style><g class=\"soft\"><text>a</text></g>\
                   <text>b</text><path class=\"c0\" style=\"stroke-linecap:butt\" d=\"M0 0H1\"/><svg y=\"10\"><path class=\"c0\" d=\"M0 0H1\"/></svg></svg>";
        let drawing = read(svg).expect("a drawing");
        let [soft, ink, cut, below] = &drawing.pieces[..] else { panic!("{drawing:?}") };
        assert_eq!(soft.fill, Some(Ink { rgb: [0x5b, 0x66, 0x75], alpha: 1.0 }));
        assert_eq!(ink.fill, Some(Ink { rgb: [0x1c, 0x24, 0x30], alpha: 1.0 }));
        let pen = |piece: &Piece| piece.stroke.clone().map(|pen| (pen.ink.rgb, pen.width, pen.round));
        assert_eq!((cut.fill, pen(cut)), (None, Some(([0x24, 0x60, 0xd8], 1.6, false))));
        assert_eq!((below.path[0], pen(below)), (Segment::Move([0.0, 10.0]), Some(([0x24, 0x60, 0xd8], 1.6, true))));
    }
}
