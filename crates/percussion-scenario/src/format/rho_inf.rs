//! ρ∞ of a resolved scheme that keeps only what follows from it: α_f = ρ∞/(1 + ρ∞).

use percussion_step::{NewmarkLike, SchemeKind};

/// Steps of the last digit around α_f/(1 − α_f) among which ρ∞ is; three would do.
const NEIGHBOURS: i64 = 8;

/// The ρ∞ with the fewest digits that gives the same parameters bit by bit; `None` where ρ∞ was not the source.
pub fn rho_inf(kind: &SchemeKind) -> Option<f64> {
    let (SchemeKind::Ggl(p, _) | SchemeKind::SmoothAlpha(p)) = kind else { return None };
    let near = p.alpha_f / (1.0 - p.alpha_f);
    (-NEIGHBOURS..=NEIGHBOURS)
        .filter_map(|k| near.to_bits().checked_add_signed(k))
        .map(f64::from_bits)
        .filter(|&rho| (0.0..=1.0).contains(&rho) && NewmarkLike::chung_hulbert(rho) == *p)
        .min_by_key(|rho| format!("{rho:?}").len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every thousandth of [0, 1], and numbers with many digits.
    #[test]
    fn found_again() {
        let odd = (1..200).map(|k| (f64::from(k) * 0.618_033_988_749_894_8).fract());
        for rho in (0..=1000).map(|k| f64::from(k) / 1000.0).chain(odd) {
            let p = NewmarkLike::chung_hulbert(rho);
            let found = rho_inf(&SchemeKind::SmoothAlpha(p)).expect("ρ∞ itself is among the neighbours");
            assert_eq!(NewmarkLike::chung_hulbert(found), p, "{rho}");
            assert!(format!("{found:?}").len() <= format!("{rho:?}").len(), "{rho} became {found}");
        }
    }
}
