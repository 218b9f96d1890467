//! A scheme, a law of impact and a model of one's own: run, judged, reported and verified like those of the library.
//!
//! ```text
//! cargo run --release -p own-parts
//! ```

mod law;
mod model;
mod scheme;

use percussion::model::Auto;
use percussion::prelude::*;
use percussion::scenario::{Attachments, Finding, Source, run, verify_with};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// A block on a spring, thrown onto a floor with friction, under the scheme and the law of this program.
const BLOCK: &str = r#"
name = "block on a spring"
[model]
kind = "linear"
mass = [[1.0, 0.0], [0.0, 1.0]]
stiffness = [[40.0, 0.0], [0.0, 0.0]]
force = [0.0, -9.81]
q0 = [0.5, 0.3]
v0 = [0.0, 0.0]
[[model.contact]]
normal = [0.0, 1.0]
tangents = [[1.0, 0.0]]
offset = 0.0
restitution = 0.9
friction = 0.2
[scheme]
name = "symplectic-euler"
impact_law = "goldsmith"
[time]
end = 3.0
step = 1e-3
"#;

/// The model of this program under a scheme of the library.
const SPRING: &str = r#"
name = "mass on a stiffening spring"
[model]
kind = "own"
q0 = [1.0, 0.2]
[scheme]
name = "moreau-jean"
[time]
end = 2.0
step = 1e-3
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join("percussion-own-parts");
    for (name, text) in [("block", BLOCK), ("spring", SPRING)] {
        let folder = folder.join(name);
        println!("{}\n  report: {}", run_and_verify(text, &folder)?, folder.join("report.html").display());
    }
    Ok(())
}

/// What this program brings along.
fn parts() -> Result<Attachments, InputError> {
    let spring = model::SpringMass {
        mass: 1.0,
        stiffness: 1e3,
        length: 1.0,
        gravity: 9.81,
        floor: -1.1,
        restitution: [0.5],
        friction: [0.3],
    };
    Ok(Attachments {
        model: Some(Arc::new(Auto::new(spring)?)),
        schemes: vec![&scheme::ENTRY],
        laws: vec![law::GOLDSMITH],
        ..Attachments::default()
    })
}

/// Runs a scenario into a folder, report included, recomputes it from what is stored, and says how it went.
fn run_and_verify(text: &str, folder: &Path) -> Result<String, Box<dyn Error>> {
    let given = parts()?;
    let loaded = Source::of_text("own", text, given.clone()).load(&LoadOptions::default())?;
    let summary = run(loaded, folder, &mut |_| true)?.summary;
    let checks = verify_with(folder, &given)?.checks;
    if let Some(check) = checks.iter().find(|check| matches!(check.finding, Finding::Differs { .. })) {
        return Err(format!("{} differs: {:?}", check.name, check.finding).into());
    }
    let agree = checks.iter().filter(|check| matches!(check.finding, Finding::Agrees(_))).count();
    let energy = &summary.verdicts["energy"];
    Ok(format!("{}: energy {}, {agree} of {} checks agree", summary.scenario, energy.status, checks.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("percussion-own-parts-{}-{name}", std::process::id()))
    }

    /// The ledger of the scheme closes, the law is obeyed, and nothing stored contradicts the rest.
    #[test]
    fn scheme_and_law_are_judged_like_those_of_the_library() -> Result<(), Box<dyn Error>> {
        let solution = Source::of_text("own", BLOCK, parts()?).load(&LoadOptions::default())?.solve();
        assert_eq!(solution.verdicts.energy.status, Verdict::Pass, "{}", solution.verdicts.energy.text);
        let path = &solution.trajectory;
        let mut impacts = 0;
        for k in 1..path.len() {
            let (before, after) = (path.v(k - 1)[1], path.v(k)[1]);
            if before < -0.2 && after > 0.0 {
                assert!((after + law::restitution(0, -before) * before).abs() < 0.02, "{before} to {after}");
                impacts += 1;
            }
        }
        assert!(impacts >= 3, "the block bounces");
        assert!(solution.last().v[0].abs() < 1e-3, "friction stops it");

        let there = folder("block");
        let said = run_and_verify(BLOCK, &there)?;
        assert!(said.contains("energy pass"), "{said}");
        assert!(std::fs::read_to_string(there.join("report.html"))?.contains("symplectic-euler"));
        Ok(std::fs::remove_dir_all(there)?)
    }

    /// A run folder with parts of a program is read by a program that hands them over, and refused by one that does not.
    #[test]
    fn a_run_of_an_own_model_is_read_back() -> Result<(), Box<dyn Error>> {
        let there = folder("spring");
        run_and_verify(SPRING, &there)?;
        let error = percussion::scenario::verify(&there).expect_err("the model was not handed over");
        assert!(error.to_string().contains("none was handed over"), "{error}");
        Ok(std::fs::remove_dir_all(there)?)
    }
}
