//! First-order methods: they see W through products u = W r + b alone.

pub(crate) mod apgd;
pub(crate) mod extragradient;
pub(crate) mod product;
