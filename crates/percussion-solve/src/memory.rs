//! Work memory that only some methods need: made when a method first runs, kept for its next run.

use std::any::Any;

/// Memory by type.
#[derive(Debug, Default)]
pub(crate) struct Memories(Vec<Box<dyn Any + Send + Sync>>);

impl Memories {
    /// The memory of type M, empty at first.
    pub fn get<M: Any + Default + Send + Sync>(&mut self) -> &mut M {
        let at = self.0.iter().position(|memory| memory.is::<M>()).unwrap_or_else(|| {
            self.0.push(Box::new(M::default()));
            self.0.len() - 1
        });
        self.0[at].downcast_mut().expect("found by its type")
    }
}
