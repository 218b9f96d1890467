//! `percussion settle`: the equilibrium of a scene, as a scenario that starts there.

use crate::exit::Exit;
use crate::run_command::default_folder;
use crate::show_error::show;
use crate::{complain, say};
use percussion::scenario::{LoadOptions, load, settle, write_scenario};
use std::path::PathBuf;

/// Its options.
#[derive(Debug, clap::Args)]
pub struct SettleOptions {
    /// A scenario of bodies: a file, or the name of a built-in scenario
    pub scenario: String,
    /// The time whose loads act [s]
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    pub at: f64,
    /// Folder for scenario.toml, made if missing [default: percussion-runs/NAME-settled]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Set any key of the scenario, dotted: --set beam.0.elements=16
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Let the scenario read files outside its own folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Print places of bodies as JSON, and errors as JSON to standard error
    #[arg(long)]
    pub json: bool,
}

/// `percussion settle SCENARIO`.
pub fn settle_scene(options: &SettleOptions) -> Exit {
    let load_options =
        LoadOptions { set: options.set.clone(), anywhere: options.allow_outside, ..LoadOptions::default() };
    let mut scenario = match load(&options.scenario, &load_options) {
        Ok(loaded) => loaded.scenario,
        Err(error) => return show(&error, options.json),
    };
    let settled = match settle(&mut scenario, options.at) {
        Ok(settled) => settled,
        Err(error) => return show(&error, options.json),
    };
    let folder = options.out.clone().unwrap_or_else(|| default_folder(&format!("{}-settled", scenario.name)));
    let written = std::fs::create_dir_all(&folder).and_then(|()| write_scenario(&scenario, &folder));
    if let Err(error) = written {
        complain!("{}: {error}", folder.display());
        return Exit::Files;
    }
    let file = folder.join("scenario.toml");
    if options.json {
        let bodies: serde_json::Map<String, serde_json::Value> = scenario
            .model()
            .bodies()
            .map(|scene| {
                let place = |i: usize| serde_json::json!(scene.frame(i, &settled.state.q).x);
                scene.bodies().iter().enumerate().map(|(i, body)| (body.name.clone(), place(i))).collect()
            })
            .unwrap_or_default();
        let object = serde_json::json!({
            "steps": settled.steps, "moved": settled.moved, "left": settled.left, "bodies": bodies,
            "scenario": file.display().to_string(),
        });
        say!("{object}");
        return Exit::Good;
    }
    say!(
        "{} is at rest after {} steps; farthest move {:.6} m, {:.1e} m in the last step",
        scenario.name,
        settled.steps,
        settled.moved,
        settled.left
    );
    say!("wrote {}, which starts there", file.display());
    Exit::Good
}
