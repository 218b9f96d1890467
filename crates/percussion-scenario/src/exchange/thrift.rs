//! Thrift's compact protocol, as much of it as the headers of a Parquet file need.
//!
//!   field = (id − last id) ≪ 4 | type,   whole numbers zigzag (n ≪ 1) ^ (n ≫ 63) in groups of seven bits, lowest first

/// Types of fields and of entries of lists.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A structure being written.
#[derive(Debug, Default)]
pub struct Thrift {
    bytes: Vec<u8>,
    /// The last field of each structure that is open, the outermost first.
    last: Vec<u8>,
}

impl Thrift {
    /// The bytes of a structure.
    pub fn write(fields: impl FnOnce(&mut Self)) -> Vec<u8> {
        let mut thrift = Self::default();
        thrift.structure(fields);
        thrift.bytes
    }

    /// A number of 32 bits.
    pub fn int(&mut self, id: u8, x: i32) {
        self.field(id, I32);
        varint(&mut self.bytes, zigzag(i64::from(x)));
    }

    /// A number of 64 bits.
    pub fn long(&mut self, id: u8, x: i64) {
        self.field(id, I64);
        varint(&mut self.bytes, zigzag(x));
    }

    /// A text.
    pub fn text(&mut self, id: u8, text: &str) {
        self.field(id, BINARY);
        self.plain_text(text);
    }

    /// A structure in a field.
    pub fn inner(&mut self, id: u8, fields: impl FnOnce(&mut Self)) {
        self.field(id, STRUCT);
        self.structure(fields);
    }

    /// A list of numbers of 32 bits.
    pub fn ints(&mut self, id: u8, list: &[i32]) {
        self.list(id, I32, list.len());
        list.iter().for_each(|&x| varint(&mut self.bytes, zigzag(i64::from(x))));
    }

    /// A list of texts.
    pub fn texts(&mut self, id: u8, list: &[&str]) {
        self.list(id, BINARY, list.len());
        list.iter().for_each(|text| self.plain_text(text));
    }

    /// A list of structures.
    pub fn structures<T>(&mut self, id: u8, list: impl ExactSizeIterator<Item = T>, fields: impl Fn(&mut Self, T)) {
        self.list(id, STRUCT, list.len());
        list.for_each(|item| self.structure(|thrift| fields(thrift, item)));
    }

    fn structure(&mut self, fields: impl FnOnce(&mut Self)) {
        self.last.push(0);
        fields(self);
        self.last.pop();
        self.bytes.push(0);
    }

    /// Fields of a structure come by rising numbers, none further than 15 from the one before.
    fn field(&mut self, id: u8, kind: u8) {
        let last = self.last.last_mut().expect("a field stands in a structure");
        self.bytes.push((id - *last) << 4 | kind);
        *last = id;
    }

    fn list(&mut self, id: u8, kind: u8, n: usize) {
        self.field(id, LIST);
        if n < 15 {
            self.bytes.push((n as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(&mut self.bytes, n as u64);
        }
    }

    fn plain_text(&mut self, text: &str) {
        varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }
}

fn zigzag(x: i64) -> u64 {
    (x << 1 ^ x >> 63) as u64
}

/// Appends seven bits at a time, lowest first.
pub fn varint(bytes: &mut Vec<u8>, mut x: u64) {
    while x >= 0x80 {
        bytes.push(x as u8 | 0x80);
        x >>= 7;
    }
    bytes.push(x as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Byte by byte what the protocol says.
    #[test]
    fn bytes_of_the_protocol() {
        let bytes = Thrift::write(|t| {
            t.int(1, -3);
            t.inner(5, |t| t.long(2, 300));
            t.texts(6, &["ab"]);
        });
        assert_eq!(bytes, [0x15, 5, 0x4c, 0x26, 0xd8, 4, 0, 0x19, 0x18, 2, b'a', b'b', 0]);
        assert_eq!([zigzag(i64::MIN), zigzag(i64::MAX)], [u64::MAX, u64::MAX - 1]);
        let long = Thrift::write(|t| t.ints(1, &[0; 20]));
        assert_eq!(long[..3], [0x19, 0xf5, 20]);
    }
}
