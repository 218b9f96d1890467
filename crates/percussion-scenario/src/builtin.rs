//! The built-in scenarios: the gallery's files, carried inside the program.

macro_rules! gallery {
    ($($name:literal),*; with a mesh: $($solid:literal),* $(,)?) => {
        /// The names of those that are text alone, in the order they are shown.
        pub const NAMES: &[&str] = &[$($name),*];

        /// The names of elastic solids, which have a mesh beside their text.
        pub const SOLIDS: &[&str] = &[$($solid),*];

        /// The text of a built-in scenario.
        pub fn text(name: &str) -> Option<&'static str> {
            match name {
                $($name => Some(include_str!(concat!("../../../gallery/", $name, "/scenario.toml"))),)*
                $($solid => Some(include_str!(concat!("../../../gallery/", $solid, "/scenario.toml"))),)*
                _ => None,
            }
        }

        /// The mesh of a built-in scenario.
        pub fn mesh(name: &str) -> Option<&'static [u8]> {
            match name {
                $($solid => Some(include_bytes!(concat!("../../../gallery/", $solid, "/mesh.msh"))),)*
                _ => None,
            }
        }
    };
}

gallery!(
    "bouncing-ball",
    "bouncing-ball-f2",
    "impact-oscillator",
    "two-mass-oscillator",
    "two-mass-oscillator-1e3",
    "elastic-bar",
    "pendulum",
    "rocking-block",
    "rotating-beam",
    "slanted-rod",
    "sliding-block",
    "kane-double-pendulum",
    "spinning-disk",
    "spinning-sphere",
    "brick",
    "newtons-cradle",
    "rocking-block-3d",
    "dominoes",
    "sphere-pile",
    "box-pile",
    "chain",
    "slider-crank",
    "masonry-arch",
    "woodpecker",
    "painleve-rod",
    "flying-spaghetti",
    "spin-up",
    "right-angle-frame",
    "flexible-double-pendulum",
    "beam-drop",
    "flexible-slider-crank",
    "net-catch",
    "cable-net",
    "princeton-beam",
    "helicopter-blade",
    "misaligned-four-bar",
    "earthquake-block",
    "cam-follower",
    "gear-rattle",
    "opening-gate",
    "universal-joint",
    "gear-backlash",
    "geneva-drive",
    "ratchet",
    "block-and-tackle";
    with a mesh:
    "periodic-bar",
    "two-bars",
    "elastic-disc",
    "rolling-disc",
    "two-discs",
    "elastic-block",
    "hertz-impact",
    "tuning-fork",
    "bracket",
    "struck-plate",
);

/// The name a scenario of an elastic solid gives its mesh.
pub const MESH: &str = "mesh.msh";

/// All names, in the order they are shown.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    NAMES.iter().chain(SOLIDS).copied()
}

/// The first comment line of a built-in scenario: what it shows.
pub fn summary(name: &str) -> &'static str {
    text(name).and_then(|text| text.lines().next()).map_or("", |line| line.trim_start_matches(['#', ' ']))
}
