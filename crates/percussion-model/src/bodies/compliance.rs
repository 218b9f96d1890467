//! Contacts that give way: instead of the impulse of an impact a force of the depth δ = max(−g, 0) and of its rate.
//!
//!   linear  F = k δ + c δ̇,    V = k δ²/2            Hertz  F = k δ^{3/2} (1 + c δ̇),    V = 2/5 k δ^{5/2};    F ≥ 0
//!
//! Over a step from g₀ to g₁ = g₀ + h u the elastic force is the discrete gradient F̄ = (V₀ − V₁)/(g₁ − g₀), written without the
//! difference: its work h F̄ u is what V loses, to the last digit, whether the contact begins, lasts or ends in the step. The
//! damper has the means over the way too, c χ u with χ the part of the way in touch and F̄ (1 − c u), so that it only takes. F̄ and the whole
//! force fall where u rises: the law is monotone, and its contacts stand in one problem with those that are rigid,
//!
//!   0 ≤ p ⟂ u + (p − p_i)/s_i − u_i ≥ 0,    s = −dp/du ≥ 0 at the iterate i

use crate::{Code, InputError};

/// How the elastic force grows with the depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// As δ: k [N/m], c [N·s/m].
    Linear,
    /// As δ^{3/2}, of two balls or a ball on a plane: k [N/m^{3/2}], c [s/m] (Hunt and Crossley).
    Hertz,
}

/// The law of contacts that give way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compliance {
    /// Linear or Hertz.
    pub growth: Growth,
    /// k.
    pub stiffness: f64,
    /// c.
    pub damping: f64,
}

/// A mean over a step and its derivative by g₁.
type Slope = [f64; 2];

impl Compliance {
    /// Refuses numbers out of range.
    pub fn check(&self) -> Result<(), InputError> {
        for (field, x) in [("stiffness", self.stiffness), ("damping", self.damping)] {
            let field = format!("compliance.{field}");
            if !x.is_finite() {
                return Err(InputError::new(Code::NOT_FINITE, field, format!("is {x}"), "give a finite number"));
            }
            if x < 0.0 || (x == 0.0 && field.ends_with("stiffness")) {
                let help = "give a stiffness above 0 and a damping of 0 or more, or leave compliance out";
                return Err(InputError::new(Code::BAD_PARAMETER, field, format!("{x} is no such number"), help));
            }
        }
        Ok(())
    }

    /// V at a gap [J].
    pub fn energy(&self, gap: f64) -> f64 {
        let depth = (-gap).max(0.0);
        match self.growth {
            Growth::Linear => 0.5 * self.stiffness * depth * depth,
            Growth::Hertz => 0.4 * self.stiffness * depth * depth * depth.sqrt(),
        }
    }

    /// F at a depth and at rest [N].
    fn force(&self, depth: f64) -> f64 {
        match self.growth {
            Growth::Linear => self.stiffness * depth,
            Growth::Hertz => self.stiffness * depth * depth.sqrt(),
        }
    }

    /// F̄ between two gaps.
    fn elastic(&self, from: f64, to: f64) -> Slope {
        let k = self.stiffness;
        match (from > 0.0, to > 0.0) {
            (true, true) => [0.0; 2],
            // it begins: V₁/(g₀ + δ₁)
            (true, false) => {
                let way = from - to;
                let mean = self.energy(to) / way;
                [mean, (mean - self.force(-to)) / way]
            }
            // it ends: V₀/(δ₀ + g₁)
            (false, true) => {
                let way = to - from;
                let mean = self.energy(from) / way;
                [mean, -mean / way]
            }
            (false, false) => match self.growth {
                Growth::Linear => [-0.5 * k * (from + to), -0.5 * k],
                Growth::Hertz => {
                    // (a⁵ − b⁵)/(a² − b²) = a³ + b² (a² + ab + b²)/(a + b)
                    let (a, b) = ((-from).sqrt(), (-to).sqrt());
                    let sum = a + b;
                    if sum == 0.0 {
                        return [0.0; 2];
                    }
                    let three = a * a + a * b + b * b;
                    let by_depth =
                        (2.0 * a * a + 3.0 * a * b + 4.0 * b * b) / (2.0 * sum) - b * three / (2.0 * sum * sum);
                    [0.4 * k * (a * a * a + b * b * three / sum), -0.4 * k * by_depth]
                }
            },
        }
    }

    /// χ between two gaps.
    fn share(from: f64, to: f64) -> Slope {
        match (from > 0.0, to > 0.0) {
            (true, true) => [0.0; 2],
            (true, false) => {
                let way = from - to;
                [-to / way, -from / (way * way)]
            }
            (false, true) => {
                let way = to - from;
                [-from / way, from / (way * way)]
            }
            (false, false) => [1.0, 0.0],
        }
    }

    /// The impulse p of a step of length h that begins at a gap and moves with the mean rate u, and s = −dp/du ≥ 0.
    pub fn push(&self, gap: f64, u: f64, h: f64) -> [f64; 2] {
        let (to, c) = (gap + h * u, self.damping);
        let [elastic, elastic_by] = self.elastic(gap, to);
        let [force, by] = match self.growth {
            Growth::Linear => {
                let [share, share_by] = Self::share(gap, to);
                [elastic - c * share * u, h * elastic_by - c * share - c * u * h * share_by]
            }
            Growth::Hertz => [elastic * (1.0 - c * u), h * elastic_by * (1.0 - c * u) - c * elastic],
        };
        if force > 0.0 { [h * force, (-h * by).max(0.0)] } else { [0.0; 2] }
    }
}
