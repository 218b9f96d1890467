//! `percussion list` and `percussion explain`.

use crate::args::What;
use crate::exit::Exit;
use crate::paint::Paint;
use crate::verdict_table::plain;
use crate::{complain, say};
use percussion::model::Code;
use percussion::scenario::{builtin, schema};
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
            for name in builtin::NAMES {
                table.add_row([name, builtin::summary(name)]);
            }
            say!("{}", table.trim_fmt());
        }
        What::Schema => say!("{:#}", schema()),
    }
    Exit::Good
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
