//! `percussion list`, `percussion show` and `percussion explain`.

use crate::args::What;
use crate::exit::Exit;
use crate::paint::Paint;
use crate::show_error::show;
use crate::verdict_table::plain;
use crate::{complain, say};
use percussion::model::Code;
use percussion::scenario::{LoadOptions, Source, builtin, load, scenario_text, schema};
use percussion::solve::Method;
use percussion::step::{SCHEMES, support};

/// `percussion list WHAT`.
pub fn list(what: What) -> Exit {
    match what {
        What::Schemes => {
            // two lines each: a table would be wider than most terminals
            let paint = Paint::stdout();
            let width = SCHEMES.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
            for entry in SCHEMES {
                let (name, parameters) = (entry.name, entry.parameter_names().join(", "));
                say!("{}{}  {}", paint.bold(name), " ".repeat(width - name.len()), entry.summary);
                let supports = support(name).join(", ");
                say!("{}  {}", " ".repeat(width), paint.dim(&format!("{supports}: {parameters}")));
            }
        }
        What::Solvers => {
            let mut table = plain(&["solver", "what it is good for"]);
            for method in Method::ALL {
                table.add_row([method.name(), method.summary()]);
            }
            say!("{}", table.trim_fmt());
        }
        What::Scenarios => {
            let mut table = plain(&["scenario", "what it shows"]);
            for name in builtin::names() {
                table.add_row([name, builtin::summary(name)]);
            }
            say!("{}", table.trim_fmt());
        }
        What::Schema => say!("{:#}", schema()),
    }
    Exit::Good
}

/// `percussion show SCENARIO`: its text, or all that a run would use.
pub fn show_scenario(name: &str, resolved: bool) -> Exit {
    let text = if resolved {
        load(name, &LoadOptions::default()).map(|loaded| scenario_text(&loaded.scenario).0)
    } else {
        Source::open(name).map(|source| source.text)
    };
    match text {
        Ok(text) => {
            crate::output::text(&text);
            Exit::Good
        }
        Err(error) => show(&error, false),
    }
}

/// `percussion explain CODE`.
pub fn explain(code: &str) -> Exit {
    if let Some((code, title, text)) = Code::explain(code) {
        say!("{code}: {title}\n\n{text}");
        return Exit::Good;
    }
    complain!("there is no code \"{code}\"; the codes are:");
    for (code, title, _) in Code::ALL {
        complain!("  {code}  {title}");
    }
    Exit::Usage
}
