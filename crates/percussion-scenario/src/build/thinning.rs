//! What the tables of a large scene hold where nothing is said of it: as much as stays below a gigabyte, of the largest 0.6.
//!
//!   bytes ≈ rows · bodies · 850        13 numbers of trajectory and two and a half contacts of 230 bytes a body
//!   bytes ≈ rows · part · 1300         a body beside others that are left out has all its contacts to itself
//!
//! A folder of 10⁶ bodies then stays below 2 GB with its scenario (0.3 GB) and the state it ends in (0.5 to 1 GB).
//! Fewer rows first, down to a hundred; then every k-th body with its contacts and events. Ledger, verdicts and checkpoints are of everything.

use percussion_model::Code;
use percussion_model::bodies::Bodies;
use percussion_step::Warning;

/// Bodies below which everything is kept: who has fewer says himself what is too much.
const MANY: usize = 10_000;
/// Bytes of a body in a row, its contacts included: of all bodies, and of a part of them.
const EACH: f64 = 850.0;
const OF_A_PART: f64 = 1300.0;
/// Bytes of tables, of all bodies and of a part.
const ROOM: f64 = 1e9;
const ROOM_OF_A_PART: f64 = 6e8;
/// Rows below which bodies are left out instead.
const ROWS: f64 = 100.0;

/// What the tables hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Thinned {
    /// A row in so many steps.
    pub every: u64,
    /// The names of the bodies that are kept; empty: all of them.
    pub select: Vec<String>,
    /// What is left out.
    pub warning: Warning,
}

/// How a run of so many steps is recorded; none where everything is.
pub fn thinned(scene: &Bodies, steps: u64) -> Option<Thinned> {
    let free: Vec<&str> = scene.bodies().iter().filter(|body| body.is_free()).map(|body| body.name.as_str()).collect();
    let n = free.len();
    let (every, stride) = kept(n, steps)?;
    let select: Vec<String> = match stride {
        1 => Vec::new(),
        _ => free.iter().step_by(stride).map(|name| name.to_string()).collect(),
    };
    let message = format!(
        "the tables of all {n} bodies would take about {:.0} GB: they hold {} with their contacts, a row in {every} steps; write \
         [output] every and select to choose what is kept",
        (EACH * n as f64 * (steps + 1) as f64 / 1e9).ceil(),
        if stride == 1 { "all".to_string() } else { format!("{} of them", n.div_ceil(stride)) }
    );
    Some(Thinned { every, select, warning: Warning { code: Code::THINNED, message } })
}

/// A row in how many steps, and one body of how many; none where all of everything fits.
fn kept(n: usize, steps: u64) -> Option<(u64, usize)> {
    let size = |rows: u64, bodies: usize| rows as f64 * bodies as f64 * EACH;
    if n < MANY || size(steps + 1, n) <= ROOM {
        return None;
    }
    let after_the_first = ((ROOM / (n as f64 * EACH)).floor() - 1.0).max(ROWS);
    let every = (steps as f64 / after_the_first).ceil().max(1.0) as u64;
    let rows = steps / every + 1;
    if size(rows, n) <= ROOM {
        return Some((every, 1));
    }
    Some((every, (rows as f64 * n as f64 * OF_A_PART / ROOM_OF_A_PART).ceil() as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept fits, a scene that fits is kept whole, and bodies go only where rows are few.
    #[test]
    fn a_gigabyte_at_most() {
        for n in [9_999, 10_000, 30_000, 100_000, 998_560, 20_000_000] {
            for steps in [1, 10, 99, 600, 1000, 100_000] {
                let whole = (steps + 1) as f64 * n as f64 * EACH;
                let Some((every, stride)) = kept(n, steps) else {
                    assert!(n < MANY || whole <= ROOM);
                    continue;
                };
                let rows = (steps / every + 1) as f64;
                let most = if stride == 1 { ROOM / EACH } else { ROOM_OF_A_PART / OF_A_PART + rows };
                assert!(whole > ROOM && rows * n.div_ceil(stride) as f64 <= most);
                assert!(stride == 1 || rows <= ROWS + 2.0, "{n} bodies, {steps} steps: {rows} rows, one in {stride}");
            }
        }
        assert_eq!(kept(998_560, 600), Some((6, 219)));
    }
}
