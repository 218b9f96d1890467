//! What a command left behind, and how numbers are read from it.

use crate::common::{Said, column, percussion};
use std::collections::HashMap;
use std::path::PathBuf;

/// A command that was run.
pub struct Made {
    folder: PathBuf,
    json: serde_json::Value,
}

/// Commands that were run, each once.
pub struct Shelf {
    root: PathBuf,
    out: PathBuf,
    made: HashMap<&'static str, Made>,
}

impl Shelf {
    pub fn new(root: PathBuf, out: PathBuf) -> Self {
        Self { root, out, made: HashMap::new() }
    }

    /// The number read from what these commands made.
    pub fn read(&mut self, commands: &[&'static str], read: fn(&[&Made]) -> f64) -> f64 {
        for &command in commands {
            if !self.made.contains_key(command) {
                let made = self.run(command);
                self.made.insert(command, made);
            }
        }
        let made: Vec<&Made> = commands.iter().map(|command| &self.made[command]).collect();
        read(&made)
    }

    fn run(&self, command: &'static str) -> Made {
        let folder = self.out.join(self.made.len().to_string());
        let out = folder.display().to_string();
        let mut words: Vec<&str> = command.split_whitespace().collect();
        words.extend(["--out", &out, "--json"]);
        let Said { code, out, err } = percussion(&self.root, &words);
        // drift of joints is a certificate that fails, and the run is there
        assert!(code == 0 || code == 5, "{command}: exit {code}\n{err}");
        Made { folder, json: serde_json::from_str(&out).unwrap_or_default() }
    }
}

impl Made {
    /// A column of a table of the run.
    pub fn column(&self, table: &str, name: &str) -> Vec<f64> {
        column(&self.folder.join(format!("{table}.csv")), name)
    }

    /// A coordinate, velocity or time of the trajectory.
    pub fn path(&self, name: &str) -> Vec<f64> {
        self.column("trajectory", name)
    }

    /// Its last value.
    pub fn end(&self, name: &str) -> f64 {
        self.path(name).last().copied().expect("a row")
    }

    /// A column of the ledger.
    pub fn ledger(&self, name: &str) -> Vec<f64> {
        self.column("ledger", name)
    }

    /// The sum of a column of the ledger.
    pub fn sum(&self, name: &str) -> f64 {
        self.ledger(name).iter().sum()
    }

    /// The same of a column that may be empty.
    pub fn sum_of(&self, name: &str) -> f64 {
        self.ledger(name).iter().filter(|x| x.is_finite()).sum()
    }

    /// Figures whose title begins so on the page of a paper.
    pub fn panels(&self, title: &str) -> f64 {
        let pages = std::fs::read_dir(&self.folder).expect("a folder").flatten().map(|entry| entry.path());
        let html = pages.filter(|path| path.extension().is_some_and(|e| e == "html") && !path.ends_with("index.html"));
        let text: String = html.map(|path| std::fs::read_to_string(path).expect("a page")).collect();
        text.matches(&format!("<h3>{title}")).count() as f64
    }

    /// The energy at time t.
    pub fn energy_at(&self, t: f64) -> f64 {
        let times = self.ledger("t");
        let row = times.iter().position(|x| (x - t).abs() < 1e-9).expect("a row at this time");
        self.ledger("energy")[row]
    }

    /// The largest |residual| of the energy identity over the largest energy.
    pub fn residual(&self) -> f64 {
        size(&self.ledger("residual")) / size(&self.ledger("energy"))
    }

    /// The most a step created, contacts, joints and scheme together, over the largest energy.
    pub fn gain(&self) -> f64 {
        let parts = ["work_contact", "work_joints", "work_projection", "dissipation_numerical"].map(|n| self.ledger(n));
        let or_none = |x: f64| if x.is_nan() { 0.0 } else { x };
        let step = |k: usize| parts[0][k] + parts[1][k] + or_none(parts[2][k]) - parts[3][k];
        let most = (0..parts[0].len()).map(step).fold(0.0, f64::max);
        most / size(&self.ledger("algorithmic_energy"))
    }

    /// A number in the summary, or in what the command printed.
    pub fn number(&self, path: &str) -> f64 {
        let value = self.json.pointer(path).unwrap_or_else(|| panic!("{path} in {}", self.json));
        value.as_f64().unwrap_or_else(|| f64::from(u8::from(value.as_bool() == Some(true))))
    }

    /// A word there.
    pub fn word(&self, path: &str) -> String {
        self.json.pointer(path).and_then(|x| x.as_str()).unwrap_or_default().to_string()
    }

    /// Instants of the events of a kind.
    pub fn instants(&self, kind: &str) -> Vec<f64> {
        let text = std::fs::read_to_string(self.folder.join("events.csv")).expect("events");
        let rows = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        rows.filter(|row| row[2] == kind).map(|row| row[0].parse().expect("a time")).collect()
    }

    /// The fitted order of a scheme, by its place in the command, in a measure.
    pub fn order(&self, scheme: usize, measure: &str) -> f64 {
        let orders = self.json["orders"].as_array().expect("orders");
        let of: Vec<f64> = orders
            .iter()
            .filter(|o| o["measure"] == measure)
            .map(|o| o["order"].as_f64().unwrap_or(f64::NAN))
            .collect();
        of[scheme]
    }

    /// What a page of the papers' figures found for a statement that begins so: the first number in it.
    pub fn finding(&self, statement: &str) -> f64 {
        first_number(&self.finding_words(statement))
    }

    /// The same in words.
    pub fn finding_words(&self, statement: &str) -> String {
        let text = std::fs::read_to_string(self.folder.join("findings.csv")).expect("findings");
        let rows = text.lines().skip(1).map(cells);
        let row = rows.into_iter().find(|row| row[2].trim_start().starts_with(statement));
        row.map_or_else(|| format!("no finding \"{statement}\""), |row| format!("{} ({})", row[5], row[7]))
    }
}

/// The largest |x|.
pub fn size(list: &[f64]) -> f64 {
    list.iter().filter(|x| x.is_finite()).fold(0.0, |m, x| x.abs().max(m))
}

/// The largest difference of coordinates and velocities between two runs of the same steps.
pub fn apart(runs: &[&Made], names: &[&str]) -> f64 {
    let pair = |name: &&str| {
        let (a, b) = (runs[0].path(name), runs[1].path(name));
        assert_eq!(a.len(), b.len(), "runs of the same steps");
        a.iter().zip(&b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
    };
    names.iter().map(pair).fold(0.0, f64::max)
}

/// The cells of a row whose texts are quoted.
fn cells(line: &str) -> Vec<String> {
    let mut list = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => list.push(String::new()),
            _ => list.last_mut().expect("a cell").push(c),
        }
    }
    list
}

/// The first number in a text.
fn first_number(text: &str) -> f64 {
    let words = text.split(|c: char| !(c.is_ascii_digit() || "+-.eE×".contains(c)));
    let number = |word: &str| word.trim_matches(|c: char| c == '×' || c == '.').parse::<f64>().ok();
    let found = words.filter_map(number).next();
    found.filter(|_| !text.starts_with("no finding") && !text.ends_with("(differs)")).unwrap_or(f64::NAN)
}
