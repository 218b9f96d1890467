//! The rocking block: every scheme's impacts tend to those of the event-driven reference as h → 0.

use percussion_scenario::{LoadOptions, load};
use percussion_step::SCHEMES;

/// Instants of the first five impacts [s] and energies after them [J].
const REFERENCE: [(f64, f64); 5] =
    [(0.183751, 8.957548), (0.296297, 8.023831), (0.472693, 7.714286), (0.518577, 7.527534), (0.614646, 7.440634)];

/// Schemes that are shown because they do something else.
const OTHERS: [&str; 3] = ["smooth-generalized-alpha", "naive-newmark-velocity", "naive-newmark-position"];

/// The largest errors of instants [s] and energies [J]; none when the scheme does not take the model.
fn errors(scheme: &str, h: f64) -> Option<(f64, f64)> {
    let options = LoadOptions { scheme: Some(scheme.into()), step: Some(h), end: Some(0.617), ..Default::default() };
    let mut loaded = load("rocking-block", &options).ok()?;
    let (mut at, mut energies) = (Vec::<(f64, usize)>::new(), Vec::new());
    let (mut begun, mut t) = (0.0, 0.0);
    while t < 0.6165 {
        let step = loaded.simulation.advance().unwrap_or_else(|failure| panic!("{scheme}, h = {h}: {failure}"));
        t = step.after.t;
        // schemes that reverse a velocity over two steps have one impact
        if let Some(c) = step.contacts.iter().find(|c| c.p > 0.0 && c.u_before < -0.3)
            && at.last().is_none_or(|&(last, id)| id != c.id || t - last > 5.0 * h)
        {
            at.push((t, c.id));
            energies.push(0.0);
            begun = t;
        }
        // an energy after an impact is that of a moment later
        if let Some(energy) = energies.last_mut()
            && t - begun <= 1.5e-3
        {
            *energy = step.ledger.energy();
        }
    }
    assert!(at.len() >= 5, "{scheme}, h = {h}: impacts {at:?}");
    let mut worst = (0.0_f64, 0.0_f64);
    for ((&(t, _), E), (t_exact, E_exact)) in at.iter().zip(&energies).zip(REFERENCE) {
        worst = (worst.0.max((t - t_exact).abs()), worst.1.max((E - E_exact).abs()));
    }
    Some(worst)
}

#[test]
fn impacts_tend_to_the_reference() {
    let mut count = 0;
    for entry in SCHEMES.iter().filter(|entry| !OTHERS.contains(&entry.name)) {
        let steps = [4e-4, 1e-4, 2.5e-5];
        let Some(first) = errors(entry.name, steps[0]) else { continue };
        let rest = [steps[1], steps[2]].map(|h| errors(entry.name, h).expect("the same model"));
        println!("{:<32} {first:?} {rest:?}", entry.name);
        let (t, E) = rest[1];
        // first order with impacts: instants within some steps, energies with them; the reference has six decimals
        assert!(t < 7.0 * steps[2] && E < 20.0 * steps[2], "{}: {t:e} s, {E:e} J", entry.name);
        assert!(t < 0.5 * first.0 || first.0 < 2e-6, "{}: {first:?} {rest:?}", entry.name);
        count += 1;
    }
    assert!(count >= 12, "{count} schemes");
}
