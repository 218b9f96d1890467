//! Scenes of every kind a user can write, drawn from a number: what one program makes of number k, every program makes.

mod bodies;
mod flexible;
mod linear;
mod mechanisms;
mod nonlinear;
mod signals;
mod solid;

use percussion_step::SCHEMES;
use percussion_step::problems::Dice as Bits;

/// Schemes that are kept to show how they fail.
pub const DELIBERATE: &[&str] = &["naive-newmark-velocity", "naive-newmark-position", "smooth-generalized-alpha"];

/// What scenes are drawn with.
pub struct Dice(Bits);

impl Dice {
    fn numbered(k: u64) -> Self {
        Self(Bits(k.wrapping_mul(0x9e37_79b9).wrapping_add(25)))
    }

    fn real(&mut self, a: f64, b: f64) -> f64 {
        self.0.real(a, b)
    }

    fn whole(&mut self, a: usize, b: usize) -> usize {
        self.0.whole(a, b)
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        self.0.vector(n)
    }

    fn chance(&mut self, p: f64) -> bool {
        self.real(0.0, 1.0) < p
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.whole(0, list.len() - 1)]
    }
}

fn number(x: f64) -> String {
    format!("{x:?}")
}

fn list(x: &[f64]) -> String {
    format!("{x:?}")
}

/// A scene as text, with its kind and scheme.
pub struct Scene {
    pub kind: &'static str,
    pub scheme: &'static str,
    pub text: String,
    /// What lies beside it as `mesh.msh`.
    pub mesh: Option<String>,
}

impl Scene {
    /// The same under another scheme, with these lines in its table.
    pub fn moved_by(mut self, scheme: &'static str, with: &str) -> Self {
        let drawn = format!("[scheme]\nname = \"{}\"\n", self.scheme);
        self.text = self.text.replace(&drawn, &format!("[scheme]\nname = \"{scheme}\"\n{with}\n"));
        self.scheme = scheme;
        self
    }
}

/// Kinds with how often they are drawn, of 20, and of 30 with what came later.
const KINDS: [(&str, usize); 15] = [
    ("linear", 4),
    ("bar", 1),
    ("pendulum", 1),
    ("rocking-block", 1),
    ("beam", 1),
    ("formula", 2),
    ("bodies, plane", 2),
    ("bodies, space", 4),
    ("stacked, plane", 1),
    ("stacked, space", 1),
    ("jointed", 2),
    ("flexible", 3),
    ("solid", 3),
    ("signals, linear", 1),
    ("signals, bodies", 3),
];
/// Numbers below this are drawn from the first 20, as they always were.
const LATER: u64 = 100_000;
/// Numbers from this on are mechanisms: joints, stops, contact and friction at once.
pub const MECHANISMS: u64 = 10_000_000;

/// Scene number k, the same text in every version.
pub fn scene(k: u64) -> Scene {
    let mut dice = Dice::numbered(k);
    let mut draw = dice.whole(0, if k < LATER { 19 } else { 29 });
    let drawn = KINDS
        .iter()
        .find_map(|&(kind, share)| {
            let found = draw < share;
            draw = draw.wrapping_sub(share);
            found.then_some(kind)
        })
        .expect("the shares add up to 20 and 30");
    let kind = if k < MECHANISMS { drawn } else { "mechanism" };
    // among those that move such models at all
    let word = match kind {
        "linear" | "bar" | "solid" | "signals, linear" => "linear",
        "pendulum" | "rocking-block" | "beam" | "formula" => "nonlinear",
        _ => "bodies",
    };
    let able: Vec<&str> =
        SCHEMES.iter().map(|entry| entry.name).filter(|name| percussion_step::support(name).contains(&word)).collect();
    let scheme = dice.of(&able);
    let either = matches!(kind, "jointed" | "flexible" | "signals, bodies" | "mechanism");
    let planar = kind.ends_with("plane") || (either && dice.chance(0.5));
    let mut mesh = None;
    let model = match kind {
        "linear" => linear::system(&mut dice),
        "bar" => linear::bar(&mut dice),
        "pendulum" => nonlinear::pendulum(&mut dice),
        "rocking-block" => nonlinear::rocking_block(&mut dice),
        "beam" => nonlinear::beam(&mut dice),
        "formula" => nonlinear::formula(&mut dice),
        "stacked, plane" | "stacked, space" => bodies::stacked(&mut dice, planar),
        "jointed" => bodies::jointed(&mut dice, planar),
        "flexible" => flexible::beams(&mut dice, planar),
        "solid" => {
            let (text, nodes) = solid::block(&mut dice);
            mesh = Some(nodes);
            text
        }
        "signals, linear" => signals::masses(&mut dice),
        "signals, bodies" => signals::driven(&mut dice, planar),
        "mechanism" => mechanisms::chain(&mut dice, planar),
        _ => bodies::thrown(&mut dice, planar),
    };
    let h = match kind {
        "bar" => dice.of(&[1e-6, 1e-5]),
        "beam" | "solid" => dice.of(&[1e-4, 1e-3]),
        "mechanism" => dice.of(&[5e-4, 1e-3, 2e-3, 5e-3, 1e-2]),
        _ => dice.of(&[5e-4, 1e-3, 2e-3, 5e-3]),
    };
    let steps = dice.whole(50, 300) as f64;
    let mut text =
        format!("[model]\n{model}[scheme]\nname = \"{scheme}\"\n[time]\nstep = {h:?}\nend = {:?}\n", h * steps);
    if percussion_step::support(scheme).contains(&"adaptive steps") && dice.chance(0.08) {
        text += "adaptive = {}\n";
    }
    Scene { kind, scheme, text, mesh }
}
