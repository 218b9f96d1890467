//! Second-order methods: semismooth Newton on one equation per component, F(r, W r + b) = 0.

pub(crate) mod alart_curnier;
pub(crate) mod central_path;
pub(crate) mod jordan;
pub(crate) mod least_change;
mod nesterov_todd;
pub(crate) mod newton_ac;
pub(crate) mod newton_fb;
pub(crate) mod prox_newton;
