//! `output.select`: which coordinates, contacts and joints the tables of a run hold.
//!
//! A word names a column (`q12`), a coordinate (`ball.x`), a contact or a joint; `*` stands for any letters, and the name of a body, a
//! node or a group for everything of it, its contacts included. Ledger, events and verdicts are always about all of the model.

use crate::build::scenario::Description;
use crate::format::suggest;
use crate::run::contact_names::ContactNames;
use crate::run::names::{ColumnName, add_groups, columns};
use percussion_model::{Code, InputError};
use percussion_step::Model;
use std::cell::Cell;
use std::collections::HashMap;

/// What the tables hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// As written; empty: everything.
    pub words: Vec<String>,
    /// The coordinates, ascending.
    pub q: Vec<usize>,
    /// The velocities, ascending.
    pub v: Vec<usize>,
    /// The joints of bodies; empty: all of them.
    joints: Vec<bool>,
    /// The beams and cables that are kept, by name.
    beams: Vec<String>,
    /// The words that name a pair of bodies.
    pairs: Vec<String>,
    /// The contacts that are known by number, or the bodies whose contacts are meant.
    contacts: Vec<bool>,
}

impl Selection {
    /// Everything.
    pub fn whole(model: &Model) -> Self {
        Self { q: (0..model.n_q()).collect(), v: (0..model.n_v()).collect(), ..Self::default() }
    }

    /// What the words of `--only` mean: one that means nothing was written where a figure was asked for, not in the scenario.
    pub fn of_figure(words: Vec<String>, description: &Description, model: &Model) -> Result<Self, InputError> {
        let elsewhere = |error: InputError| InputError { code: Code::NO_FIGURE, field: "--only".into(), ..error };
        Self::new(words, description, model).map_err(elsewhere)
    }

    /// What the words mean in a model; a word that means nothing is refused.
    pub fn new(words: Vec<String>, description: &Description, model: &Model) -> Result<Self, InputError> {
        if words.is_empty() {
            return Ok(Self::whole(model));
        }
        let mut names = columns(description, model);
        add_groups(description, &mut names);
        let joint_names: Vec<String> =
            model.bodies().map_or_else(Vec::new, |scene| scene.joints().iter().map(|j| j.name.clone()).collect());
        let beams: Vec<String> =
            model.bodies().map_or_else(Vec::new, |scene| scene.beams().iter().map(|beam| beam.name.clone()).collect());
        let contacts: Vec<Vec<String>> = match model.bodies() {
            Some(scene) => scene.bodies().iter().map(|body| vec![format!("{}.contact", body.name)]).collect(),
            None => {
                let number = |i: usize| vec![model.contact_name(i), format!("contact {i}"), format!("contact.{i}")];
                (0..model.n_contacts()).map(number).collect()
            }
        };
        let asked = Words::new(&words);
        let chosen = |list: &[ColumnName]| {
            let of =
                |k: &usize| asked.ask(std::iter::once(&list[*k].column).chain([&list[*k].name]).chain(&list[*k].also));
            (0..list.len()).filter(of).collect::<Vec<_>>()
        };
        let (q, v) = (chosen(&names[0]), chosen(&names[1]));
        let joints: Vec<bool> = joint_names.iter().map(|name| asked.ask([name])).collect();
        let beams = beams.into_iter().filter(|name| asked.ask([name])).collect();
        let contacts = contacts.iter().map(|names| asked.ask(names)).collect();
        // a pair of bodies may touch or not
        let stray = |word: &&str| !(model.bodies().is_some() && word.contains(PAIR));
        if let Some(word) = asked.unanswered().find(stray) {
            let k = words.iter().position(|w| w == word).unwrap_or(0);
            return Err(unknown(word, k, &names, &joint_names));
        }
        drop(asked);
        let pairs = words.iter().filter(|word| word.contains(PAIR)).cloned().collect();
        Ok(Self { q, v, joints, beams, pairs, contacts, words })
    }

    /// Whether the trajectory holds whole states.
    pub fn is_whole(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether a contact is kept: by its number, by a body, or by its name.
    pub fn contact(&self, model: &Model, names: &ContactNames, id: usize) -> bool {
        if self.is_whole() {
            return true;
        }
        let Some(scene) = model.bodies() else { return self.contacts.get(id).copied().unwrap_or(false) };
        scene.pair_of(id as u64).iter().any(|&i| self.contacts.get(i).copied().unwrap_or(false))
            || self.pairs.iter().any(|word| means(word, &names.name(model, id)))
    }

    /// Whether any contact is named.
    pub fn names_contacts(&self) -> bool {
        self.contacts.contains(&true) || !self.pairs.is_empty()
    }

    /// Whether a joint of bodies is kept.
    pub fn joint(&self, j: usize) -> bool {
        self.is_whole() || self.joints.get(j).copied().unwrap_or(false)
    }

    /// Whether the section forces of a beam are kept.
    pub fn beam(&self, name: &str) -> bool {
        self.is_whole() || self.beams.iter().any(|kept| kept == name)
    }

    /// Why whole states cannot be read back; none where they can.
    pub fn missing(&self, model: &Model) -> Option<String> {
        (!self.is_whole()).then(|| {
            let (kept, all) = (self.q.len() + self.v.len(), model.n_q() + model.n_v());
            format!("output.select keeps {kept} of {all} coordinates and velocities")
        })
    }
}

/// What stands between the bodies in the name of a contact.
const PAIR: char = '–';

/// Words that are asked for the names of a model, thousands of one for millions of the other: those without a star are looked up.
struct Words<'a> {
    /// Whether each has meant anything yet.
    plain: HashMap<&'a str, Cell<bool>>,
    patterns: Vec<(&'a str, Cell<bool>)>,
    /// In the order written.
    all: &'a [String],
}

impl<'a> Words<'a> {
    fn new(all: &'a [String]) -> Self {
        let (patterns, plain): (Vec<&str>, Vec<&str>) = all.iter().map(String::as_str).partition(|w| w.contains('*'));
        let fresh = |word| (word, Cell::new(false));
        Self { plain: plain.into_iter().map(fresh).collect(), patterns: patterns.into_iter().map(fresh).collect(), all }
    }

    /// Whether any word means any of these names of one thing.
    fn ask<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> bool {
        let mut meant = false;
        let mut mark = |answered: &Cell<bool>| {
            answered.set(true);
            meant = true;
        };
        for name in names {
            let parts = name.match_indices('.').map(|(at, _)| &name[..at]);
            parts.chain([name.as_str()]).filter_map(|part| self.plain.get(part)).for_each(&mut mark);
            self.patterns.iter().filter(|(word, _)| means(word, name)).for_each(|(_, answered)| mark(answered));
        }
        meant
    }

    /// The words that have meant nothing.
    fn unanswered(&self) -> impl Iterator<Item = &'a str> {
        let left = |word: &&str| match self.plain.get(word) {
            Some(answered) => !answered.get(),
            None => self.patterns.iter().any(|(pattern, answered)| pattern == word && !answered.get()),
        };
        self.all.iter().map(String::as_str).filter(left)
    }
}

/// Whether a word means a name: all of it, or what stands before a dot.
pub fn means(word: &str, name: &str) -> bool {
    fits(word, name) || name.match_indices('.').any(|(at, _)| fits(word, &name[..at]))
}

/// Whether a pattern with `*` for any letters fits the whole of a text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let last = pieces.pop().unwrap_or("");
    for piece in pieces {
        match left.find(piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

fn unknown(word: &str, k: usize, names: &[Vec<ColumnName>; 2], joints: &[String]) -> InputError {
    let all: Vec<&str> =
        names.iter().flatten().map(|column| column.name.as_str()).chain(joints.iter().map(String::as_str)).collect();
    let help = match suggest::nearest(word, all.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("there are {} and so on; * matches any characters", all[..all.len().min(8)].join(", ")),
    };
    let message = format!("\"{word}\" is no coordinate, velocity, contact or joint of this model");
    InputError::new(Code::BAD_OUTPUT, format!("output.select[{k}]"), message, help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_letters() {
        for (word, name, fits) in [
            ("ball.*", "ball.x", true),
            ("ball", "ball.x", true),
            ("ball", "ball 2.x", false),
            ("*.x", "ball.x", true),
            ("*.x", "ball.x_dot", false),
            ("b*l*x", "ball.x", true),
            ("q1", "q12", false),
            ("q1*", "q12", true),
            ("*", "", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(means(word, name), fits, "{word} {name}");
        }
    }
}
