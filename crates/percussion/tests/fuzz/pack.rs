//! The corpus: one file `fuzz/corpus/READER.bin` for each reader, every input with its name and length before it.
//!
//! ```text
//! file  = input*
//! input = NAME ' ' LENGTH '\n' BYTES '\n'        LENGTH in decimal, BYTES exactly so many
//! ```
//!
//! Names have no spaces; `search` makes them of its seed and of the number of the input.

use std::io::Write;
use std::path::{Path, PathBuf};

pub struct Input {
    pub name: String,
    pub bytes: Vec<u8>,
}

pub fn path(reader: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(format!("{reader}.bin"))
}

/// All inputs kept for a reader, in the order in which they were added; none where there is no file.
pub fn inputs(reader: &str) -> Vec<Input> {
    let path = path(reader);
    if !path.exists() {
        return Vec::new();
    }
    let bytes = std::fs::read(&path).expect("the corpus is readable");
    unpacked(&bytes).unwrap_or_else(|| panic!("{} is not a corpus", path.display()))
}

/// Adds one input at the end, in one write, so that a search that is killed leaves whole inputs.
pub fn add(reader: &str, name: &str, bytes: &[u8]) {
    let path = path(reader);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).expect("the corpus opens");
    file.write_all(&packed(name, bytes)).expect("written");
}

fn packed(name: &str, bytes: &[u8]) -> Vec<u8> {
    assert!(!name.is_empty() && !name.contains([' ', '\n']), "`{name}` is no name of an input");
    [format!("{name} {}\n", bytes.len()).as_bytes(), bytes, b"\n"].concat()
}

fn unpacked(mut rest: &[u8]) -> Option<Vec<Input>> {
    let mut inputs = Vec::new();
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let (name, length) = std::str::from_utf8(&rest[..end]).ok()?.split_once(' ')?;
        let (bytes, after) = rest[end + 1..].split_at_checked(length.parse().ok()?)?;
        inputs.push(Input { name: name.to_string(), bytes: bytes.to_vec() });
        rest = after.strip_prefix(b"\n")?;
    }
    Some(inputs)
}

/// What is packed comes back, whatever the bytes; a file cut short is not taken for a corpus.
#[test]
fn packing_is_reversible() {
    let some: [(&str, &[u8]); 4] = [("1-1", b"a 3\nb\n"), ("empty", b""), ("2-7", b"\n\n \xff\x00"), ("3", b"x")];
    let whole: Vec<u8> = some.iter().flat_map(|(name, bytes)| packed(name, bytes)).collect();
    let back = unpacked(&whole).expect("a corpus");
    assert_eq!(back.len(), some.len());
    for (input, (name, bytes)) in back.iter().zip(some) {
        assert_eq!((input.name.as_str(), input.bytes.as_slice()), (name, bytes));
    }
    let ends: Vec<usize> = (0..=some.len()).map(|n| some[..n].iter().map(|(n, b)| packed(n, b).len()).sum()).collect();
    for cut in 0..=whole.len() {
        assert_eq!(unpacked(&whole[..cut]).is_some(), ends.contains(&cut), "cut at {cut}");
    }
}
