//! The built-in scenarios: the gallery's files, carried inside the program.

macro_rules! gallery {
    ($($name:literal),* $(,)?) => {
        /// Their names, in the order they are shown.
        pub const NAMES: &[&str] = &[$($name),*];

        /// The text of a built-in scenario.
        pub fn text(name: &str) -> Option<&'static str> {
            match name {
                $($name => Some(include_str!(concat!("../../../gallery/", $name, "/scenario.toml"))),)*
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
);

/// The first comment line of a built-in scenario: what it shows.
pub fn summary(name: &str) -> &'static str {
    text(name).and_then(|text| text.lines().next()).map_or("", |line| line.trim_start_matches(['#', ' ']))
}
