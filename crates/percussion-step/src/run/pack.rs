//! Values as bytes and back, bit for bit: what a checkpoint holds.
//!
//! Numbers are eight little-endian bytes, lists their length and their entries. Reading takes no more memory than a multiple
//! of the bytes there are and answers `None` where they do not fit; a field forgotten in `packed!` does not compile.

/// A value that can be kept in a checkpoint.
pub trait Pack: Sized {
    /// Appends the value.
    fn pack(&self, out: &mut Vec<u8>);

    /// Takes the value off the front; none where the bytes are not one.
    fn unpack(from: &mut &[u8]) -> Option<Self>;
}

/// Implements `Pack` for a structure, field by field; every field must be named.
#[macro_export]
macro_rules! packed {
    ($($name:ty { $($field:ident),* $(,)? })*) => {$(
        impl $crate::Pack for $name {
            fn pack(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($crate::Pack::pack($field, out);)*
            }

            fn unpack(from: &mut &[u8]) -> Option<Self> {
                $(let $field = $crate::Pack::unpack(from)?;)*
                Some(Self { $($field),* })
            }
        }
    )*};
}

/// A value of which a checkpoint keeps a part; the rest comes from the scenario again.
pub trait PackPart {
    /// Appends the part.
    fn pack_part(&self, out: &mut Vec<u8>);

    /// Takes the part over from the front; none where the bytes do not fit, and the value is then not to be used.
    fn unpack_part(&mut self, from: &mut &[u8]) -> Option<()>;
}

/// Implements `PackPart` for the fields named first; those after `except` are not kept. Every field must be named.
#[macro_export]
macro_rules! packed_part {
    ($name:ty { $($field:ident),* $(,)? } except { $($other:ident),* $(,)? }) => {
        impl $crate::PackPart for $name {
            fn pack_part(&self, out: &mut Vec<u8>) {
                let Self { $($field,)* $($other: _),* } = self;
                $($crate::Pack::pack($field, out);)*
            }

            fn unpack_part(&mut self, from: &mut &[u8]) -> Option<()> {
                $(self.$field = $crate::Pack::unpack(from)?;)*
                Some(())
            }
        }
    };
}

/// Implements `Pack` for an enumeration without data, as the place of each case in the list.
macro_rules! packed_cases {
    ($($name:ty { $($case:ident),* $(,)? })*) => {$(
        impl $crate::Pack for $name {
            fn pack(&self, out: &mut Vec<u8>) {
                let cases = [$(Self::$case),*];
                let place = match self { $(Self::$case => cases.iter().position(|c| *c == Self::$case)),* };
                out.push(place.unwrap_or(0) as u8);
            }

            fn unpack(from: &mut &[u8]) -> Option<Self> {
                let place: u8 = $crate::Pack::unpack(from)?;
                [$(Self::$case),*].get(usize::from(place)).copied()
            }
        }
    )*};
}
pub(crate) use packed_cases;

fn take<const N: usize>(from: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, rest) = from.split_first_chunk::<N>()?;
    *from = rest;
    Some(*bytes)
}

impl Pack for u64 {
    fn pack(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        take(from).map(u64::from_le_bytes)
    }
}

impl Pack for f64 {
    fn pack(&self, out: &mut Vec<u8>) {
        self.to_bits().pack(out);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        u64::unpack(from).map(f64::from_bits)
    }
}

impl Pack for usize {
    fn pack(&self, out: &mut Vec<u8>) {
        (*self as u64).pack(out);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        u64::unpack(from).and_then(|x| usize::try_from(x).ok())
    }
}

impl Pack for u8 {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        take::<1>(from).map(|[x]| x)
    }
}

impl Pack for bool {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        match u8::unpack(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Pack for String {
    fn pack(&self, out: &mut Vec<u8>) {
        self.len().pack(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let n = usize::unpack(from)?;
        let (text, rest) = from.split_at_checked(n)?;
        *from = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

impl<T: Pack> Pack for Vec<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.len().pack(out);
        self.iter().for_each(|x| x.pack(out));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let n = usize::unpack(from)?;
        // every entry is at least one byte
        if n > from.len() {
            return None;
        }
        let mut list = Vec::new();
        for _ in 0..n {
            list.push(T::unpack(from)?);
        }
        Some(list)
    }
}

impl<T: Pack, const N: usize> Pack for [T; N] {
    fn pack(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|x| x.pack(out));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let mut list = Vec::new();
        for _ in 0..N {
            list.push(T::unpack(from)?);
        }
        list.try_into().ok()
    }
}

impl<T: Pack> Pack for Option<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.is_some().pack(out);
        self.iter().for_each(|x| x.pack(out));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        if bool::unpack(from)? { T::unpack(from).map(Some) } else { Some(None) }
    }
}

impl<A: Pack, B: Pack> Pack for (A, B) {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
        self.1.pack(out);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Kept = (Vec<(f64, Option<usize>)>, ([f64; 2], String));

    /// Every value comes back with its bits, NaN and −0 included; no shorter run of bytes is a value.
    #[test]
    fn values_survive() {
        let kept: Kept = (
            vec![(-0.0, None), (f64::NAN, Some(7)), (f64::INFINITY, Some(usize::MAX)), (5e-324, None)],
            ([1.0 / 3.0, -1e300], "q̇ and λ".into()),
        );
        let mut bytes = Vec::new();
        kept.pack(&mut bytes);
        let mut again = Vec::new();
        Kept::unpack(&mut &bytes[..]).expect("a value").pack(&mut again);
        assert_eq!(bytes, again);
        for n in 0..bytes.len() {
            assert!(Kept::unpack(&mut &bytes[..n]).is_none(), "{n} bytes");
        }
    }

    /// A length that the bytes cannot hold is refused before memory is allocated.
    #[test]
    fn lengths_are_checked() {
        let mut bytes = Vec::new();
        u64::MAX.pack(&mut bytes);
        assert!(<Vec<u8>>::unpack(&mut &bytes[..]).is_none());
        assert!(String::unpack(&mut &bytes[..]).is_none());
        (1_u64 << 40).pack(&mut bytes);
        assert!(<Vec<Vec<f64>>>::unpack(&mut &bytes[8..]).is_none());
    }
}
