//! Changes to inputs: bits, bytes, words, lines, and pieces of other inputs.

/// xorshift64*: the same numbers everywhere.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number in 0..n, 0 where n = 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    pub fn one_of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// Numbers and words that readers trip over.
const WORDS: [&str; 40] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "5",
    "7",
    "0.5",
    "1e-300",
    "1e300",
    "-1e308",
    "1e400",
    "nan",
    "-nan",
    "inf",
    "-inf",
    "NaN",
    "5e-324",
    "9007199254740993",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999999",
    "1000000000",
    "0x10",
    "1_000",
    "1.",
    ".5",
    "\"\"",
    "\"x\"",
    "true",
    "[]",
    "{}",
    "[[]]",
    "[0.0]",
    "\u{0}",
    "é∞",
    "../../../../etc/passwd",
];

/// One input made from others, at most `longest` bytes.
pub fn mutated(dice: &mut Dice, corpus: &[Vec<u8>], words: &[&str], binary: bool, longest: usize) -> Vec<u8> {
    let mut bytes = corpus[dice.below(corpus.len())].clone();
    // mostly one change: a file with many mistakes is refused at the first
    let changes = 1 << dice.below(4).min(dice.below(4));
    for _ in 0..changes {
        let other = &corpus[dice.below(corpus.len())];
        if binary {
            change_bytes(dice, &mut bytes, other);
        } else {
            change_text(dice, &mut bytes, other, words);
        }
    }
    bytes.truncate(longest);
    bytes
}

/// An input of up to `longest` bytes: a piece of it, some lines where it is text, many times over.
pub fn grown(dice: &mut Dice, bytes: Vec<u8>, binary: bool, longest: usize) -> Vec<u8> {
    let size = longest / (1 << dice.below(5));
    let n = bytes.len();
    if n == 0 || size <= n {
        return bytes;
    }
    let (mut from, mut to) = (dice.below(n), 0);
    if !binary {
        from = bytes[..from].iter().rposition(|&b| b == b'\n').map_or(0, |k| k + 1);
        for _ in 0..=dice.below(12) {
            to = bytes[from + to..].iter().position(|&b| b == b'\n').map_or(n - from, |k| to + k + 1);
        }
    } else {
        to = 1 + dice.below((n - from).min(256));
    }
    let piece = bytes[from..from + to].to_vec();
    let more: Vec<u8> = piece.iter().copied().cycle().take(size - n).collect();
    [&bytes[..from], &more, &bytes[from..]].concat()
}

fn change_bytes(dice: &mut Dice, bytes: &mut Vec<u8>, other: &[u8]) {
    let n = bytes.len();
    let at = dice.below(n);
    match dice.below(9) {
        0 if n > 0 => bytes[at] ^= 1 << dice.below(8),
        1 if n > 0 => bytes[at] = dice.next() as u8,
        2 => bytes.truncate(at),
        3 => {
            let end = (at + 1 + dice.below(16)).min(n);
            bytes.drain(at.min(end)..end);
        }
        4 => {
            let more = other[dice.below(other.len())..].iter().take(1 + dice.below(64)).copied().collect::<Vec<_>>();
            bytes.splice(at..at, more);
        }
        5 => bytes.extend(std::iter::repeat_n(dice.next() as u8, dice.below(64))),
        // a whole number of 1, 2, 4 or 8 bytes, where one may well stand
        _ if n >= 8 => {
            let size = 1 << dice.below(4);
            let at = dice.below((n - size) / size + 1) * size;
            let small = [0, 1, 2, 7, 255];
            let value = match dice.below(6) {
                0 => u64::MAX,
                1 => 1 << dice.below(64),
                2 => (1_u64 << dice.below(64)).wrapping_sub(1),
                3 => f64::NAN.to_bits(),
                4 => f64::INFINITY.to_bits(),
                _ => small[dice.below(small.len())],
            };
            bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        }
        _ => {}
    }
}

fn change_text(dice: &mut Dice, bytes: &mut Vec<u8>, other: &[u8], words: &[&str]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut lines: Vec<String> = text.split('\n').map(str::to_string).collect();
    let other = String::from_utf8_lossy(other);
    let others: Vec<&str> = other.split('\n').collect();
    let k = dice.below(lines.len());
    match dice.below(12) {
        0 => return change_bytes(dice, bytes, other.as_bytes()),
        1 => {
            lines.remove(k);
        }
        2 => {
            let line = lines[k].clone();
            lines.insert(dice.below(lines.len() + 1), line);
        }
        3 => {
            let j = dice.below(lines.len());
            lines.swap(k, j);
        }
        4 | 5 => {
            let line = others[dice.below(others.len())];
            lines.insert(k, line.to_string());
        }
        6 => {
            // a block of another input
            let (from, n) = (dice.below(others.len()), 1 + dice.below(12));
            lines.splice(k..k, others[from..].iter().take(n).map(|line| line.to_string()));
        }
        _ => {
            // a word of a line becomes another
            let line = &lines[k];
            let breaks = |c: char| " ,=[]{}\t:".contains(c);
            let starts: Vec<usize> = line.match_indices(|c| !breaks(c)).map(|(i, _)| i).collect();
            let start = starts.get(dice.below(starts.len())).copied().unwrap_or(0);
            let start =
                line[..start].rfind(breaks).map_or(0, |i| i + line[i..].chars().next().map_or(1, char::len_utf8));
            let end = line[start..].find(breaks).map_or(line.len(), |i| start + i);
            let word = if words.is_empty() || dice.below(2) == 0 { dice.one_of(&WORDS) } else { dice.one_of(words) };
            lines[k] = format!("{}{word}{}", &line[..start], &line[end..]);
        }
    }
    *bytes = lines.join("\n").into_bytes();
}
