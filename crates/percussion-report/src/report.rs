//! A finished run as the page needs it: curves of bounded size, totals, the first impacts.

use crate::info::{RunInfo, TableMeta};
use crate::joints::Joints;
use crate::scene::SceneDescription;
use crate::series::Series;
use crate::thinned::Thinned;
use std::collections::{BTreeMap, BTreeSet};

/// Impacts listed one by one.
pub const LISTED_IMPACTS: usize = 200;
/// Contacts told apart in the table of contacts.
pub const LISTED_CONTACTS: usize = 1000;
/// Curves of one kind that are all drawn; of more, the first, the middle and the last.
pub const ALL_CURVES: usize = 6;

/// One impact.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact {
    /// Time [s].
    pub t: f64,
    /// Number of the contact.
    pub contact: usize,
    /// Normal velocity before [m/s].
    pub u_before: f64,
    /// Normal velocity after [m/s].
    pub u_after: f64,
    /// Normal impulse [N s].
    pub p: f64,
}

/// A curve with its name.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// Its number among the coordinates or velocities.
    pub index: usize,
    pub name: String,
    /// Its unit; empty where the model does not tell.
    pub unit: String,
    pub series: Series,
}

/// Gap and impulse of one contact.
#[derive(Clone, Debug, Default)]
pub struct ContactCurves {
    pub name: String,
    /// Whether its gap is an angle: a stop or backlash of hinges.
    pub angular: bool,
    pub gap: Series,
    pub impulse: Series,
    /// Velocity along each tangent [m/s], and the impulse [N s].
    pub sliding: Vec<(Series, Series)>,
    /// The state beside which it was last seen.
    pub seen_at: u64,
}

/// The energies and the works summed up to each time [J].
#[derive(Clone, Debug, Default)]
pub struct EnergyCurves {
    pub kinetic: Series,
    pub potential: Series,
    pub total: Series,
    pub algorithmic: Series,
    pub external: Series,
    pub damping: Series,
    pub contact: Series,
    pub joints: Series,
    /// The part of `contact` by which positions were projected; empty where no scheme does that.
    pub projection: Series,
    pub numerical: Series,
    /// |residual| of each step.
    pub residual: Series,
}

/// What one contact did over the whole run.
#[derive(Clone, Debug, Default)]
pub struct ContactTotals {
    pub impacts: u64,
    /// The largest impulse of an impact [N s].
    pub largest: f64,
    /// The smallest gap [m].
    pub gap_min: Option<f64>,
}

/// Everything the page says about one run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub(crate) info: RunInfo,
    pub(crate) positions: Vec<Named>,
    pub(crate) n_positions: usize,
    pub(crate) velocities: Vec<Named>,
    pub(crate) n_velocities: usize,
    pub(crate) contacts: BTreeMap<usize, ContactCurves>,
    /// Not every contact has a curve of its own.
    pub(crate) contacts_hidden: bool,
    /// The smallest gap and the sum of the impulses over all contacts, drawn when not every contact is: those whose gap is a length [m, N s],
    /// and those whose gap is an angle [rad, N m s].
    pub(crate) all_contacts: [ContactCurves; 2],
    /// Contacts whose gap is an angle.
    pub(crate) angular: BTreeSet<usize>,
    pub(crate) energy: EnergyCurves,
    /// The largest |E| [J].
    pub(crate) energy_max: f64,
    /// The largest |H − E| [J].
    pub(crate) filtered_max: f64,
    /// The largest |residual| [J].
    pub(crate) residual_max: f64,
    /// The smallest gap [m].
    pub(crate) gap_min: Option<f64>,
    pub(crate) impacts: Vec<Impact>,
    /// Events by kind.
    pub(crate) events: BTreeMap<String, u64>,
    pub(crate) impact_impulse: Series,
    /// Times at which velocities may jump, while few enough to draw.
    pub(crate) jumps: Vec<f64>,
    pub(crate) not_finite: u64,
    pub(crate) totals: BTreeMap<usize, ContactTotals>,
    pub(crate) joints: Joints,
    pub(crate) scene: Option<SceneDescription>,
    /// t and the coordinates of the moving picture.
    pub(crate) film: Thinned,
    /// Names of contacts that come and go.
    pub(crate) names: BTreeMap<usize, String>,
    /// t, point, normal impulse and friction where no contact mark describes them.
    pub(crate) arrows: Thinned,
    pub(crate) tables: Vec<(TableMeta, Thinned)>,
    /// What else was measured of the run, for comparisons: a name and a value each.
    pub(crate) measures: Vec<(String, f64)>,
}

impl Report {
    /// What was said of the run.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// Gives the run its moving picture.
    pub fn set_scene(&mut self, scene: SceneDescription) {
        self.scene = Some(scene);
    }

    /// Gives the run what else was measured of it, which a page about several runs shows beside its own figures.
    pub fn set_measures(&mut self, measures: Vec<(String, f64)>) {
        self.measures = measures;
    }

    /// Whether every sample is in the curves.
    pub(crate) fn is_drawn_whole(&self) -> bool {
        let motion = self.positions.iter().chain(&self.velocities).map(|named| &named.series);
        let contacts = self.all_contacts.iter().map(|all| &all.gap);
        motion.chain([&self.energy.total]).chain(contacts).all(Series::is_exact)
    }

    /// Whether the contacts of its tables are lengths, angles or some of both: units of gap, velocity and impulse.
    pub(crate) fn contact_units(reports: &[Self]) -> [&'static str; 3] {
        let angular = |r: &Self, id: &usize| r.angular.contains(id);
        let turns = reports.iter().any(|r| r.totals.keys().any(|id| angular(r, id)));
        let moves = reports.iter().any(|r| r.totals.keys().any(|id| !angular(r, id)));
        match (turns, moves) {
            (false, _) => ["m", "m/s", "N s"],
            (true, false) => ["rad", "rad/s", "N m s"],
            (true, true) => ["m or rad", "m/s or rad/s", "N s or N m s"],
        }
    }

    /// What a contact is called.
    pub(crate) fn contact_name(&self, id: usize) -> String {
        let drawn = || self.contacts.get(&id).map(|c| c.name.clone());
        self.names.get(&id).cloned().or_else(drawn).unwrap_or_else(|| format!("contact {id}"))
    }

    /// Impacts seen.
    pub fn n_impacts(&self) -> u64 {
        self.events.get("impact").copied().unwrap_or(0)
    }

    /// Values left out of the plots because they were not finite.
    pub fn n_not_finite(&self) -> u64 {
        self.not_finite
    }

    /// The deepest penetration: the certificate's where there is one, else from the gaps seen.
    pub fn deepest_penetration(&self) -> Option<f64> {
        let certified = self.info.verdicts.iter().find(|v| v.name == "gap" && v.status != "none").and_then(|v| v.worst);
        certified.or(self.gap_min.map(|g| (-g).max(0.0)))
    }

    /// The unit of the deepest penetration.
    pub(crate) fn depth_unit(&self) -> &'static str {
        if self.info.angular_depth { "rad" } else { "m" }
    }

    /// Whether the scheme's identity speaks of another energy than E.
    pub(crate) fn has_filtered_energy(&self) -> bool {
        self.filtered_max > 1e-9 * self.energy_max
    }
}

/// Which of n curves are drawn.
pub fn is_drawn(i: usize, n: usize) -> bool {
    n <= ALL_CURVES || i == 0 || i == n / 2 || i + 1 == n
}
