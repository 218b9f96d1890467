//! Numbers of a run that can be differentiated.

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

    /// From words; all coordinates, velocities and the energy where there are none.
    pub fn list(words: &[String], n_q: usize, n_v: usize) -> Result<Vec<Self>, String> {
        if words.is_empty() {
            let positions = (0..n_q.min(ALL)).map(Self::Position);
            return Ok(positions.chain((0..n_v.min(ALL)).map(Self::Velocity)).chain([Self::Energy]).collect());
        }
        words.iter().map(|word| Self::parse(word.trim(), n_q, n_v)).collect()
    }

    fn parse(word: &str, n_q: usize, n_v: usize) -> Result<Self, String> {
        let number = |start: &str| word.strip_prefix(start).and_then(|rest| rest.trim().parse::<usize>().ok());
        let found = match word {
            "energy" => Some(Self::Energy),
            "lost" => Some(Self::Lost),
            _ => number("q")
                .map(Self::Position)
                .or_else(|| number("v").map(Self::Velocity))
                .or_else(|| number("impact").map(Self::Impact)),
        };
        match found {
            Some(Self::Position(i)) if i >= n_q => {
                Err(format!("there is no {word}: the model has q0 to q{}", n_q.max(1) - 1))
            }
            Some(Self::Velocity(i)) if i >= n_v => {
                Err(format!("there is no {word}: the model has v0 to v{}", n_v.max(1) - 1))
            }
            Some(found) => Ok(found),
            None => Err(format!("\"{word}\" is nothing that can be differentiated")),
        }
    }
}
