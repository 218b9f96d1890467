//! Letters as outlines, from our two fonts: the tables cmap (format 4), hmtx, loca and glyf of TrueType.
//!
//! Figures as pixels and as PDF draw them, so that every machine draws the same.

use crate::drawing::Segment;

/// A font of ours.
pub struct Font {
    bytes: &'static [u8],
    /// Where cmap, hmtx, loca and glyf begin.
    tables: [usize; 4],
    /// Units of an em.
    em: f32,
    /// Letters with a width of their own; the others have that of the last.
    widths: usize,
    /// Whether places in glyf are counted in words of four bytes, not of two.
    long: bool,
}

impl Font {
    /// For text.
    pub fn regular() -> Option<Self> {
        Self::new(include_bytes!("../assets/fonts/DejaVuSans.ttf"))
    }

    /// For names of ordinates.
    pub fn bold() -> Option<Self> {
        Self::new(include_bytes!("../assets/fonts/DejaVuSans-Bold.ttf"))
    }

    fn new(bytes: &'static [u8]) -> Option<Self> {
        let table = |tag: &[u8; 4]| {
            let count = usize::from(word(bytes, 4)?);
            let entry = (0..count).map(|k| 12 + 16 * k).find(|&at| bytes.get(at..at + 4) == Some(tag))?;
            place(bytes, entry + 8)
        };
        let (head, hhea) = (table(b"head")?, table(b"hhea")?);
        let tables = [table(b"cmap")?, table(b"hmtx")?, table(b"loca")?, table(b"glyf")?];
        let (em, long) = (f32::from(word(bytes, head + 18)?), word(bytes, head + 50)? == 1);
        Some(Self { bytes, tables, em, widths: usize::from(word(bytes, hhea + 34)?), long })
    }

    /// The width of a text of this size.
    pub fn width(&self, text: &str, size: f32) -> f32 {
        text.chars().map(|c| self.advance(self.glyph(c)).unwrap_or(0.0)).sum::<f32>() * size / self.em
    }

    /// The outlines of a text of this size that begins at a place on its base line; y points down.
    pub fn outlines(&self, text: &str, size: f32, at: [f32; 2]) -> Vec<Segment> {
        let (mut out, mut x, scale) = (Vec::new(), at[0], size / self.em);
        for c in text.chars() {
            let glyph = self.glyph(c);
            let on_page = |[u, v]: [f32; 2]| [x + scale * u, at[1] - scale * v];
            // a letter that cannot be read leaves its place empty
            let _ = self.outline(glyph, 0, &on_page, &mut out);
            x += scale * self.advance(glyph).unwrap_or(0.0);
        }
        out
    }

    fn advance(&self, glyph: usize) -> Option<f32> {
        let k = glyph.min(self.widths.checked_sub(1)?);
        word(self.bytes, self.tables[1] + 4 * k).map(f32::from)
    }

    /// The number of a letter, 0 for those the font does not have.
    fn glyph(&self, letter: char) -> usize {
        self.find(letter).unwrap_or(0)
    }

    // format 4: runs of letters up to an end, from a start, shifted or listed
    fn find(&self, letter: char) -> Option<usize> {
        let (bytes, cmap) = (self.bytes, self.tables[0]);
        let code = u16::try_from(u32::from(letter)).ok()?;
        let records = usize::from(word(bytes, cmap + 2)?);
        let of_format_4 = |k: usize| place(bytes, cmap + 4 + 8 * k + 4).map(|at| cmap + at);
        let table = (0..records).filter_map(of_format_4).find(|&at| word(bytes, at) == Some(4))?;
        let twice = usize::from(word(bytes, table + 6)?);
        let (ends, starts) = (table + 14, table + 16 + twice);
        let run = (0..twice / 2).find(|k| word(bytes, ends + 2 * k).is_some_and(|end| end >= code))?;
        let start = word(bytes, starts + 2 * run)?;
        let shift = word(bytes, starts + twice + 2 * run)?;
        let listed = starts + 2 * twice + 2 * run;
        match (start <= code, word(bytes, listed)?) {
            (false, _) => None,
            (true, 0) => Some(usize::from(code.wrapping_add(shift))),
            (true, offset) => {
                let found = word(bytes, listed + usize::from(offset) + 2 * usize::from(code - start))?;
                Some(usize::from(if found == 0 { 0 } else { found.wrapping_add(shift) }))
            }
        }
    }

    fn outline(
        &self,
        glyph: usize,
        depth: usize,
        on_page: &dyn Fn([f32; 2]) -> [f32; 2],
        out: &mut Vec<Segment>,
    ) -> Option<()> {
        let (bytes, loca, glyf) = (self.bytes, self.tables[2], self.tables[3]);
        let begins = |k: usize| match self.long {
            true => place(bytes, loca + 4 * k),
            false => word(bytes, loca + 2 * k).map(|half| 2 * usize::from(half)),
        };
        let (from, to) = (begins(glyph)?, begins(glyph + 1)?);
        if from == to || depth > 4 {
            return Some(());
        }
        let at = glyf + from;
        match signed(bytes, at)? {
            0.. => simple(bytes, at, on_page, out),
            _ => self.composite(at + 10, depth, on_page, out),
        }
    }

    /// A letter made of others: é of e and its accent.
    fn composite(
        &self,
        mut at: usize,
        depth: usize,
        on_page: &dyn Fn([f32; 2]) -> [f32; 2],
        out: &mut Vec<Segment>,
    ) -> Option<()> {
        let bytes = self.bytes;
        loop {
            let (flags, part) = (word(bytes, at)?, usize::from(word(bytes, at + 2)?));
            at += 4;
            let shift = match flags & 1 {
                1 => [f32::from(signed(bytes, at)?), f32::from(signed(bytes, at + 2)?)],
                _ => [0, 1].map(|k| f32::from(bytes.get(at + k).copied().unwrap_or(0) as i8)),
            };
            at += if flags & 1 == 1 { 4 } else { 2 };
            let fraction = |k: usize| signed(bytes, at + 2 * k).map(|x| f32::from(x) / 16384.0);
            let (matrix, numbers) = match flags & 0xC8 {
                0x08 => ([fraction(0)?, 0.0, 0.0, fraction(0)?], 1),
                0x40 => ([fraction(0)?, 0.0, 0.0, fraction(1)?], 2),
                0x80 => ([fraction(0)?, fraction(1)?, fraction(2)?, fraction(3)?], 4),
                _ => ([1.0, 0.0, 0.0, 1.0], 0),
            };
            at += 2 * numbers;
            let moved = |[x, y]: [f32; 2]| {
                on_page([matrix[0] * x + matrix[2] * y + shift[0], matrix[1] * x + matrix[3] * y + shift[1]])
            };
            self.outline(part, depth + 1, &moved, out)?;
            if flags & 0x20 == 0 {
                return Some(());
            }
        }
    }
}

/// Contours of points on and off the curve; between two that are off it lies one on it.
fn simple(bytes: &[u8], at: usize, on_page: &dyn Fn([f32; 2]) -> [f32; 2], out: &mut Vec<Segment>) -> Option<()> {
    let contours = usize::from(word(bytes, at)?);
    let ends: Vec<usize> =
        (0..contours).map(|k| word(bytes, at + 10 + 2 * k).map(usize::from)).collect::<Option<_>>()?;
    let count = ends.last().map_or(0, |end| end + 1);
    let instructions = at + 10 + 2 * contours;
    let mut next = instructions + 2 + usize::from(word(bytes, instructions)?);
    let mut flags: Vec<u8> = Vec::with_capacity(count);
    while flags.len() < count {
        let flag = *bytes.get(next)?;
        let repeated = if flag & 8 != 0 { usize::from(*bytes.get(next + 1)?) } else { 0 };
        next += if flag & 8 != 0 { 2 } else { 1 };
        flags.extend(std::iter::repeat_n(flag, repeated + 1));
    }
    let mut read = |short: u8, same: u8| -> Option<Vec<f32>> {
        let mut x = 0_i32;
        let mut list = Vec::with_capacity(count);
        for flag in &flags[..count] {
            match (flag & short != 0, flag & same != 0) {
                (true, positive) => {
                    let way = i32::from(*bytes.get(next)?);
                    x += if positive { way } else { -way };
                    next += 1;
                }
                (false, true) => {}
                (false, false) => {
                    x += i32::from(signed(bytes, next)?);
                    next += 2;
                }
            }
            list.push(x as f32);
        }
        Some(list)
    };
    let (x, y) = (read(2, 16)?, read(4, 32)?);
    let mut first = 0;
    for end in ends {
        let points: Vec<([f32; 2], bool)> = (first..=end).map(|k| ([x[k], y[k]], flags[k] & 1 == 1)).collect();
        contour(&points, on_page, out);
        first = end + 1;
    }
    Some(())
}

fn contour(points: &[([f32; 2], bool)], on_page: &dyn Fn([f32; 2]) -> [f32; 2], out: &mut Vec<Segment>) {
    let n = points.len();
    if n < 2 {
        return;
    }
    let between = |a: [f32; 2], b: [f32; 2]| [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
    let begin = points.iter().position(|(_, on)| *on);
    let start = begin.map_or_else(|| between(points[n - 1].0, points[0].0), |k| points[k].0);
    out.push(Segment::Move(on_page(start)));
    let mut control: Option<[f32; 2]> = None;
    let first = begin.map_or(0, |k| k + 1);
    let rest = (first..first + n).map(|k| points[k % n]);
    for (point, on) in rest {
        match (control, on) {
            (None, true) => out.push(Segment::Line(on_page(point))),
            (Some(c), true) => out.push(Segment::Quad(on_page(c), on_page(point))),
            (Some(c), false) => out.push(Segment::Quad(on_page(c), on_page(between(c, point)))),
            (None, false) => {}
        }
        control = (!on).then_some(point);
    }
    if let Some(c) = control {
        out.push(Segment::Quad(on_page(c), on_page(start)));
    }
    out.push(Segment::Close);
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn signed(bytes: &[u8], at: usize) -> Option<i16> {
    word(bytes, at).map(|x| x as i16)
}

fn place(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters have the widths of DejaVu Sans, and their outlines the areas that the same outlines have as polygons of many sides.
    #[test]
    fn letters_have_their_outlines() {
        let font = Font::regular().expect("our font");
        // 2048 units: A 1401, i 569, ½ 1985
        for (letter, width) in [("A", 1401.0), ("i", 569.0), ("½", 1985.0)] {
            assert_eq!(font.width(letter, 2048.0), width, "{letter}");
        }
        for text in ["A", "o", "é", "½", "θ", "⁻"] {
            let outlines = font.outlines(text, 2048.0, [0.0, 0.0]);
            assert!(outlines.len() > 3, "{text}");
            let starts = outlines.iter().filter(|s| matches!(s, Segment::Move(_))).count();
            assert_eq!(starts, outlines.iter().filter(|s| matches!(s, Segment::Close)).count());
        }
        // o is a ring, é that of e and an accent
        let contours =
            |text: &str| font.outlines(text, 10.0, [0.0; 2]).iter().filter(|s| **s == Segment::Close).count();
        assert_eq!((contours("o"), contours("e"), contours("é"), contours(" ")), (2, 2, 3, 0));
    }
}
