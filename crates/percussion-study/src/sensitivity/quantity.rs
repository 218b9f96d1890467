//! Numbers of a run that can be differentiated.

use percussion_scenario::ColumnName;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// q_i.
    Position(usize),
    /// v_i.
    Velocity(usize),
    /// E = T + V.
    Energy,
    /// −Σ work of contacts: what impacts and friction have taken.
    Lost,
    /// The time of an impact, counted from 0.
    Impact(usize),
}

/// Coordinates up to which all are differentiated where nothing is said.
const ALL: usize = 12;

impl Quantity {
    /// As it is written.
    pub fn name(self) -> String {
        match self {
            Self::Position(i) => format!("q{i}"),
            Self::Velocity(i) => format!("v{i}"),
            Self::Energy => "energy".into(),
            Self::Lost => "lost".into(),
            Self::Impact(k) => format!("impact {k}"),
        }
    }

    /// From words; all coordinates, velocities and the energy where there are none. Coordinates and velocities answer to their columns
    /// and to the names the scenario gives them.
    pub fn list(words: &[String], [q, v]: &[Vec<ColumnName>; 2]) -> Result<Vec<Self>, String> {
        if words.is_empty() {
            let positions = (0..q.len().min(ALL)).map(Self::Position);
            return Ok(positions.chain((0..v.len().min(ALL)).map(Self::Velocity)).chain([Self::Energy]).collect());
        }
        words.iter().map(|word| Self::parse(word.trim(), q, v)).collect()
    }

    fn parse(word: &str, q: &[ColumnName], v: &[ColumnName]) -> Result<Self, String> {
        let answers = |own: &ColumnName| own.answers(word);
        let impact = || word.strip_prefix("impact").and_then(|rest| rest.trim().parse::<usize>().ok());
        match word {
            "energy" => return Ok(Self::Energy),
            "lost" => return Ok(Self::Lost),
            _ => {}
        }
        let found = q.iter().position(answers).map(Self::Position);
        let found = found.or_else(|| v.iter().position(answers).map(Self::Velocity));
        if let Some(found) = found.or_else(|| impact().map(Self::Impact)) {
            return Ok(found);
        }
        let most = |letter: &str, own: &[ColumnName]| format!("{letter}0 to {letter}{}", own.len().max(1) - 1);
        let numbered = |letter: &str| word.strip_prefix(letter).is_some_and(|rest| rest.parse::<usize>().is_ok());
        if numbered("q") {
            return Err(format!("there is no {word}: the model has {}", most("q", q)));
        }
        if numbered("v") {
            return Err(format!("there is no {word}: the model has {}", most("v", v)));
        }
        Err(format!("\"{word}\" is nothing that can be differentiated"))
    }
}
