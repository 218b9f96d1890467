//! What a scheme carries from step to step besides the state: its energy, the last impulses, and what only it understands.

use crate::Pack;
use std::any::Any;
use std::fmt::Debug;

/// What a scheme carries from step to step besides the state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// E_k of the state, or the part of H_k that does not depend on the step size [J].
    pub H: f64,
    /// The largest |U| of any contact so far [m/s]; scales velocity tests.
    pub u_max: f64,
    /// P of each contact in the last step, by contact number [N·s]: warm starts, persistent contact.
    pub p: Vec<f64>,
    /// p_T of each contact in the last step [N·s]; empty where no contact has friction.
    pub p_t: Vec<[f64; 2]>,
    /// W_ii P_i of each contact in the last step: the velocity its own impulse gave it [m/s].
    pub push: Vec<f64>,
    /// Contacts of bodies in the last step, by rising identity.
    pub persistent: Vec<PersistentContact>,
    /// What is the scheme's own: accelerations, filters, turns of joints.
    pub carried: Carried,
}

impl Memory {
    /// At the start: no impulse yet, nothing of the scheme's own.
    pub fn new(H: f64, n_contacts: usize) -> Self {
        Self { H, p: vec![0.0; n_contacts], push: vec![0.0; n_contacts], ..Default::default() }
    }

    /// The same with something of the scheme's own.
    pub fn carrying(self, value: impl Carry) -> Self {
        Self { carried: Carried(Content::Value(Box::new(value))), ..self }
    }

    /// No impulse yet at any of m contacts.
    #[inline]
    pub fn clear_impulses(&mut self, m: usize) {
        self.p.clear();
        self.p.resize(m, 0.0);
        self.push.clear();
        self.push.resize(m, 0.0);
    }

    /// Whether a contact pushed in the last step.
    pub fn pushed(&self, id: usize) -> bool {
        match self.p.get(id) {
            Some(&p) => p > 0.0,
            None => {
                let found = self.persistent.binary_search_by_key(&(id as u64), |p| p.id);
                found.is_ok_and(|k| self.persistent[k].p[0] > 0.0)
            }
        }
    }
}

/// What a contact between bodies leaves for the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PersistentContact {
    /// Its identity.
    pub id: u64,
    /// Normal and tangential impulses, and moments of rolling over the length their rows are taken with [N·s].
    pub p: [f64; 5],
    /// W_NN P, the velocity its own normal impulse gave it [m/s].
    pub push: f64,
    /// ν of the position correction, under GGL [kg·m]; else zero.
    pub nu: f64,
    /// Where it was on its first body, in the frame of that body [m]; zero where the scheme goes by names alone.
    pub place: [f64; 3],
}

/// A type a scheme carries; `carried!` implements it.
pub trait Carry: Pack + Clone + PartialEq + Debug + Default + Send + Sync + 'static {
    /// Whether a value read from a checkpoint has the sizes of the one a run starts with.
    fn fits(&self, start: &Self) -> bool;
}

/// Room for the value a scheme carries.
#[derive(Debug, Default)]
pub struct Carried(Content);

#[derive(Debug, Default)]
enum Content {
    #[default]
    Nothing,
    Value(Box<dyn Value>),
    /// Read from a checkpoint; `restore` knows the type.
    Packed(Vec<u8>),
}

/// `Carry` without its type.
trait Value: Any + Debug + Send + Sync {
    fn pack(&self, out: &mut Vec<u8>);
    fn read(&self, from: &mut &[u8]) -> Option<Box<dyn Value>>;
    fn copy(&self) -> Box<dyn Value>;
    fn equals(&self, other: &dyn Value) -> bool;
}

impl<T: Carry> Value for T {
    fn pack(&self, out: &mut Vec<u8>) {
        Pack::pack(self, out);
    }

    fn read(&self, from: &mut &[u8]) -> Option<Box<dyn Value>> {
        let value = T::unpack(from).filter(|value| value.fits(self))?;
        Some(Box::new(value))
    }

    fn copy(&self) -> Box<dyn Value> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn Value) -> bool {
        (other as &dyn Any).downcast_ref::<T>().is_some_and(|other| self == other)
    }
}

impl Carried {
    /// The scheme's own value, which it wrote with `renew` or `Memory::carrying`.
    ///
    /// # Panics
    /// On the memory of another scheme.
    #[inline]
    pub fn of<T: Carry>(&self) -> &T {
        self.get().expect("the memory of this scheme")
    }

    /// The value, where it has this type.
    #[inline]
    pub fn get<T: Carry>(&self) -> Option<&T> {
        match &self.0 {
            Content::Value(value) => (&**value as &dyn Any).downcast_ref(),
            Content::Nothing | Content::Packed(_) => None,
        }
    }

    /// The value to write into: what stood here last where it has this type, else a new one.
    #[inline]
    pub fn renew<T: Carry>(&mut self) -> &mut T {
        if self.get::<T>().is_none() {
            self.0 = Content::Value(Box::new(T::default()));
        }
        match &mut self.0 {
            Content::Value(value) => (&mut **value as &mut dyn Any).downcast_mut().expect("made above"),
            Content::Nothing | Content::Packed(_) => unreachable!("made above"),
        }
    }

    /// Nothing is carried.
    pub fn clear(&mut self) {
        self.0 = Content::Nothing;
    }

    /// Turns what a checkpoint held into a value like `start`, with which a run of the same scheme begins; false when it
    /// is none.
    pub(crate) fn restore(&mut self, start: &Carried) -> bool {
        let restored = match (&self.0, &start.0) {
            (Content::Nothing, Content::Nothing) => return true,
            (Content::Packed(bytes), Content::Value(start)) => {
                let mut rest = bytes.as_slice();
                start.read(&mut rest).filter(|_| rest.is_empty())
            }
            // saved in this program: its bytes tell whether it is of this scheme and size
            (Content::Value(own), Content::Value(start)) => {
                let mut bytes = Vec::new();
                own.pack(&mut bytes);
                let mut rest = bytes.as_slice();
                start.read(&mut rest).filter(|_| rest.is_empty())
            }
            (Content::Nothing | Content::Packed(_) | Content::Value(_), _) => None,
        };
        let restored = restored.map(Content::Value);
        let fits = restored.is_some();
        self.0 = restored.unwrap_or_default();
        fits
    }
}

impl Clone for Carried {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Content::Nothing => Content::Nothing,
            Content::Value(value) => Content::Value(value.copy()),
            Content::Packed(bytes) => Content::Packed(bytes.clone()),
        })
    }
}

impl PartialEq for Carried {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Content::Nothing, Content::Nothing) => true,
            (Content::Value(a), Content::Value(b)) => a.equals(&**b),
            (Content::Packed(a), Content::Packed(b)) => a == b,
            (Content::Nothing | Content::Value(_) | Content::Packed(_), _) => false,
        }
    }
}

impl Pack for Carried {
    fn pack(&self, out: &mut Vec<u8>) {
        let mut bytes = Vec::new();
        match &self.0 {
            Content::Nothing => {}
            Content::Value(value) => value.pack(&mut bytes),
            Content::Packed(packed) => bytes.extend_from_slice(packed),
        }
        bytes.pack(out);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let bytes = Vec::unpack(from)?;
        Some(Self(if bytes.is_empty() { Content::Nothing } else { Content::Packed(bytes) }))
    }
}

/// Whether two values have the same sizes: what `carried!` compares field by field.
pub trait Shape {
    /// Whether they have.
    fn same_shape(&self, other: &Self) -> bool;
}

impl Shape for f64 {
    fn same_shape(&self, _: &Self) -> bool {
        true
    }
}

impl<T: Shape> Shape for Vec<T> {
    fn same_shape(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same_shape(b))
    }
}

impl<T: Shape, const N: usize> Shape for [T; N] {
    fn same_shape(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(a, b)| a.same_shape(b))
    }
}

/// Lets a scheme carry a structure from step to step: every field is packed, and its size is fixed by the start of a run.
#[macro_export]
macro_rules! carried {
    ($($name:ty { $($field:ident),* $(,)? })*) => {$(
        $crate::packed! { $name { $($field),* } }

        impl $crate::Carry for $name {
            fn fits(&self, start: &Self) -> bool {
                true $(&& $crate::Shape::same_shape(&self.$field, &start.$field))*
            }
        }
    )*};
}

crate::packed! {
    Memory { H, u_max, p, p_t, push, persistent, carried }
    PersistentContact { id, p, push, nu, place }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Accelerations {
        a: Vec<f64>,
        h: f64,
    }
    crate::carried! { Accelerations { a, h } }

    /// A checkpoint gives the value back, and none of another size or scheme.
    #[test]
    fn carried_values_survive_a_checkpoint() {
        let start = Memory::new(1.0, 2).carrying(Accelerations { a: vec![0.0; 3], h: 0.0 });
        let kept = Memory::new(2.0, 2).carrying(Accelerations { a: vec![1.0, 2.0, -0.0], h: 0.1 });
        let mut bytes = Vec::new();
        kept.pack(&mut bytes);
        let mut read = Memory::unpack(&mut &bytes[..]).expect("a memory");
        assert!(read.carried.restore(&start.carried));
        assert_eq!(read, kept);
        assert_eq!(read.carried.of::<Accelerations>().h, 0.1);

        let other = Memory::new(1.0, 2).carrying(Accelerations { a: vec![0.0; 4], h: 0.0 });
        let mut read = Memory::unpack(&mut &bytes[..]).expect("a memory");
        assert!(!read.carried.restore(&other.carried));
        let mut read = Memory::unpack(&mut &bytes[..]).expect("a memory");
        assert!(!read.carried.restore(&Memory::new(1.0, 2).carried));
    }
}
