//! Values that may be written in more than one way.
//!
//! matrix: `[[1.0, 0.0], [0.0, 1.0]]` or `{ file = "M.mtx" }`; signal: `-10.0` or `{ mean = 1.0, sines = [{ amplitude = 2.0, omega = 3.0, phase = 0.0 }] }`;
//! row: `[1.0, 0.0, -1.0]` or `{ 0 = 1.0, 2 = -1.0 }`; spread: one value for all nodes or a list.

use percussion_model::{Signal, Sine};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// A matrix as written.
#[derive(Clone, Debug, PartialEq)]
pub enum MatrixSpec {
    /// Row by row.
    Rows(Vec<Vec<f64>>),
    /// In a Matrix Market file.
    File(String),
}

impl<'de> Deserialize<'de> for MatrixSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = MatrixSpec;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of rows, or { file = \"NAME.mtx\" }")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<MatrixSpec, A::Error> {
                let mut rows = Vec::new();
                while let Some(row) = seq.next_element()? {
                    rows.push(row);
                }
                Ok(MatrixSpec::Rows(rows))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MatrixSpec, A::Error> {
                let mut file = None;
                while let Some(key) = map.next_key::<String>()? {
                    if key != "file" {
                        return Err(A::Error::unknown_field(&key, &["file"]));
                    }
                    file = Some(map.next_value()?);
                }
                file.map(MatrixSpec::File).ok_or_else(|| A::Error::missing_field("file"))
            }
        }
        deserializer.deserialize_any(Visit)
    }
}

/// A signal as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignalSpec(pub Signal);

impl<'de> Deserialize<'de> for SignalSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Harmonic {
            amplitude: f64,
            omega: f64,
            #[serde(default)]
            phase: f64,
        }
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = SignalSpec;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, or { mean = a, sines = [{ amplitude, omega, phase }] }")
            }
            fn visit_f64<E: Error>(self, x: f64) -> Result<SignalSpec, E> {
                Ok(SignalSpec(Signal::constant(x)))
            }
            fn visit_i64<E: Error>(self, x: i64) -> Result<SignalSpec, E> {
                self.visit_f64(x as f64)
            }
            fn visit_u64<E: Error>(self, x: u64) -> Result<SignalSpec, E> {
                self.visit_f64(x as f64)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SignalSpec, A::Error> {
                let (mut mean, mut sines) = (0.0, Vec::new());
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "mean" => mean = map.next_value()?,
                        "sines" => sines = map.next_value::<Vec<Harmonic>>()?,
                        other => return Err(A::Error::unknown_field(other, &["mean", "sines"])),
                    }
                }
                let sine = |s: Harmonic| Sine { amplitude: s.amplitude, omega: s.omega, phase: s.phase };
                Ok(SignalSpec(Signal { mean, sines: sines.into_iter().map(sine).collect() }))
            }
        }
        deserializer.deserialize_any(Visit)
    }
}

/// A row of numbers as written.
#[derive(Clone, Debug, PartialEq)]
pub enum RowSpec {
    /// One number per coordinate.
    Dense(Vec<f64>),
    /// Coordinate and number, by rising coordinate.
    Sparse(Vec<(usize, f64)>),
}

impl<'de> Deserialize<'de> for RowSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = RowSpec;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list with one number per coordinate, or { COORDINATE = number, … }")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<RowSpec, A::Error> {
                let mut row = Vec::new();
                while let Some(x) = seq.next_element()? {
                    row.push(x);
                }
                Ok(RowSpec::Dense(row))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RowSpec, A::Error> {
                let mut row = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    let Ok(coordinate) = key.parse::<usize>() else {
                        return Err(A::Error::custom(format!("\"{key}\" is not the number of a coordinate")));
                    };
                    row.push((coordinate, map.next_value()?));
                }
                row.sort_by_key(|&(coordinate, _)| coordinate);
                if row.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                    return Err(A::Error::custom("a coordinate is given twice"));
                }
                Ok(RowSpec::Sparse(row))
            }
        }
        deserializer.deserialize_any(Visit)
    }
}

/// One value for all, or one each.
#[derive(Clone, Debug, PartialEq)]
pub enum Spread<T> {
    /// The same everywhere.
    All(T),
    /// One by one.
    Each(Vec<T>),
}

impl<'de, T: Deserialize<'de> + From<f64>> Deserialize<'de> for Spread<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + From<f64>> Visitor<'de> for Visit<T> {
            type Value = Spread<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number for all nodes, or a list with one entry per node")
            }
            fn visit_f64<E: Error>(self, x: f64) -> Result<Spread<T>, E> {
                Ok(Spread::All(T::from(x)))
            }
            fn visit_i64<E: Error>(self, x: i64) -> Result<Spread<T>, E> {
                self.visit_f64(x as f64)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Spread<T>, A::Error> {
                let mut list = Vec::new();
                while let Some(x) = seq.next_element()? {
                    list.push(x);
                }
                Ok(Spread::Each(list))
            }
        }
        deserializer.deserialize_any(Visit(PhantomData))
    }
}

impl From<f64> for SignalSpec {
    fn from(x: f64) -> Self {
        Self(Signal::constant(x))
    }
}
