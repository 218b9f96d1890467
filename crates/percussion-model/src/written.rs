//! What a user wrote in one table, asked by key, and what is written back: the way between files and shapes or joints.
//!
//! A shape or a joint reads its own keys; the file format behind them is not its business.

use crate::InputError;
use crate::bodies::TriangleMesh;
use crate::bodies::math::Vec3;

/// The values of a table by key; fields of errors are named relative to the table.
pub trait Values {
    /// How a table is refused.
    type Error: From<InputError>;

    /// A number.
    fn number(&self, key: &'static str) -> Result<Option<f64>, Self::Error>;

    /// A vector of the scene: two numbers in the plane, three in space.
    fn vector(&self, key: &'static str, planar: bool) -> Result<Option<Vec3>, Self::Error>;

    /// Lists of numbers.
    fn rows(&self, key: &'static str) -> Result<Option<Vec<Vec<f64>>>, Self::Error>;

    /// Points of N coordinates.
    fn points<const N: usize>(&self, key: &'static str) -> Result<Option<Vec<[f64; N]>>, Self::Error>;

    /// Triples of whole numbers.
    fn triples(&self, key: &'static str) -> Result<Option<Vec<[i64; 3]>>, Self::Error>;

    /// The surface in the file that is named, each of its lengths multiplied.
    fn surface(&self, key: &'static str, scale: f64) -> Result<Option<TriangleMesh>, Self::Error>;

    /// What is said where a key is needed and absent.
    fn missing(&self, key: &'static str) -> Self::Error;

    /// A value that is needed.
    fn needed<T>(&self, key: &'static str, value: Option<T>) -> Result<T, Self::Error> {
        value.ok_or_else(|| self.missing(key))
    }

    /// A number that is needed.
    fn needed_number(&self, key: &'static str) -> Result<f64, Self::Error> {
        self.needed(key, self.number(key)?)
    }
}

/// The values of a joint's table.
pub trait JointValues: Values {
    /// Numbers of the two joints that are named, of those written before.
    fn joints(&self, key: &'static str) -> Result<Option<[usize; 2]>, Self::Error>;
}

/// A value to be written.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A list of numbers.
    Numbers(Vec<f64>),
    /// Lists of numbers.
    Rows(Vec<Vec<f64>>),
    /// Triples of whole numbers.
    Triples(Vec<[usize; 3]>),
    /// Joints by their numbers.
    Joints([usize; 2]),
}
