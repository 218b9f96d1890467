//! The certificates: watched at every step, pronounced at the end.
//!
//! energy fails when |residual| > 1e-9 × the largest energy seen, or when energy was created although a theorem
//! applies; it warns when energy was created where none applies. gap is reported by schemes that do not promise g ≥ 0; it warns when
//! bodies overlap by a tenth of their least half-thickness ℓ, and fails at half of it, on the way of a step as at its end; of play in joints ℓ is
//! the clearance, of two stops the way between them.
//!
//! Energies seen are those of the system and those that went through contacts, loads and dampers in one step: a driven
//! system may have next to no energy of its own, and rounding is relative to what passes through it.

use crate::bodies::swept::{NOTICED, THROUGH};
use crate::run::hash::StateHash;
use crate::run::momentum_watch::MomentumWatch;
use crate::schemes::equations::LAW_ON_GAPS;
use crate::{ContactFrame, Guarantee, Level, Model, Recorder, Start, Step, Stop};
use percussion_matrix::{math, vector};
use percussion_model::bodies::math::norm;
use percussion_model::bodies::{Crossing, PathSearch};
use percussion_solve::SolverOptions;

/// Relative size, against the largest energy seen, from which a residual or a gain counts.
pub const ENERGY_TOLERANCE: f64 = 1e-9;

/// Penetration, relative to the size of the system, that a scheme with g ≥ 0 on positions may show.
pub const NO_PENETRATION: f64 = 1e-11;

/// Drift of joints, over the size of the system, that is a warning where a scheme does not promise to hold them.
const DRIFT: f64 = 1e-3;
/// Parts of the largest impulse that a corrected one may be negative by without a word: round-off.
const PULLS: f64 = 1e-12;
/// What is said of the depth of a contact that gives way.
const GIVES_WAY: &str = "this contact gives way";
const SMALLER: &str = ": bodies pass through each other; take a smaller step";
const SMALLER_IN_JOINT: &str = ": take a smaller step";

/// The outcome of one certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Met.
    Pass,
    /// Not promised, and not met.
    Warn,
    /// Promised, and not met.
    Fail,
    /// Only reported: the scheme promises nothing here.
    Report,
    /// There is nothing to judge.
    None,
}

impl Verdict {
    /// The word in `summary.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
            Self::Report => "report",
            Self::None => "none",
        }
    }
}

/// One certificate with its worst case.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// The outcome.
    pub status: Verdict,
    /// The worst value (J, m, or a residual).
    pub worst: f64,
    /// When [s].
    pub t: f64,
    /// Where, for certificates about contacts.
    pub contact: Option<usize>,
    /// In words.
    pub text: String,
}

/// All certificates of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdicts {
    /// The ledger closes and no energy was created.
    pub energy: Certificate,
    /// Penetration.
    pub gap: Certificate,
    /// Impulses inside the friction cone.
    pub cone: Certificate,
    /// Joints satisfied.
    pub joints: Certificate,
    /// Linear and angular momentum of bodies.
    pub momentum: Certificate,
    /// Contact problems solved.
    pub solver: Certificate,
}

impl Verdicts {
    /// Names and certificates in the order they are shown.
    pub fn list(&self) -> [(&'static str, &Certificate); 6] {
        [
            ("energy", &self.energy),
            ("gap", &self.gap),
            ("cone", &self.cone),
            ("joints", &self.joints),
            ("momentum", &self.momentum),
            ("solver", &self.solver),
        ]
    }

    /// Whether any failed.
    pub fn failed(&self) -> bool {
        self.list().iter().any(|(_, c)| c.status == Verdict::Fail)
    }
}

/// A value with the time and contact at which it was worst.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Worst {
    pub value: f64,
    pub t: f64,
    contact: Option<usize>,
}

impl Worst {
    #[inline]
    pub fn raise(&mut self, value: f64, t: f64, contact: Option<usize>) {
        if value > self.value {
            *self = Self { value, t, contact };
        }
    }
}

/// What is needed to form the velocity a friction law speaks of.
#[derive(Clone, Copy, Debug)]
struct Law {
    activation: crate::Activation,
    /// ê of opening contacts, and α of Frémond's law.
    e_open: f64,
    /// Whether an impulse is a sum over the parts of a step, which obeys no law of its own.
    in_parts: bool,
}

/// What friction did in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionCounts {
    /// Islands of contacts in which a step was an impact to the checked rule, over all steps.
    pub impacts: u64,
    /// Contacts at which the checked rule fell back to Frémond's law, over all steps.
    pub fallbacks: u64,
    /// The largest |p·(w + μ‖w_T‖n)| over the largest |p||w|.
    pub complementarity: f64,
}

/// The recorder behind the certificates.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    model: Option<Model>,
    largest_energy: f64,
    /// The largest energy that went through contacts, loads and dampers in one step.
    largest_exchange: f64,
    /// The part of it that the ledger holds, which a reader of the run finds again.
    largest_work: f64,
    /// The largest work a damper put in.
    damping: Worst,
    residual: Worst,
    created: Worst,
    /// The same less what residuals of contact problems within `enough` may have created.
    unexcused: Worst,
    created_sum: f64,
    created_steps: u64,
    /// The largest gain of H in a step over the works of loads as they are, where the identity has filtered ones [J].
    plain_gain: f64,
    depth: Worst,
    /// The largest −p of a contact, where a law corrects impulses so that they do no work, and the largest p.
    pull: Worst,
    push: f64,
    corrects: bool,
    /// The largest |v| h: what a step moves [m].
    stride: f64,
    /// The largest overlap of two bodies over their least half-thickness, at the ends of steps and on the way between them.
    part: Worst,
    path: Option<PathSearch>,
    /// Steps made in parts.
    in_parts: u64,
    joint: Worst,
    momentum: MomentumWatch,
    promises_momentum: bool,
    /// The largest ‖p_T‖ − μ p_N [N·s].
    cone: Worst,
    /// The largest impulse of a frictional contact [N·s].
    largest_impulse: f64,
    /// The largest |p·(w + μ‖w_T‖n)|, and the largest |p||w| it is measured by [J].
    complementarity: f64,
    largest_power: f64,
    friction: bool,
    law: Option<Law>,
    impacts: u64,
    fallbacks: u64,
    /// The largest |q|, the size of the system.
    size: f64,
    /// Σ m|g| of free bodies [N] and the farthest any of their points is from its centre [m].
    weight: f64,
    reach: f64,
    identity: bool,
    /// Whether thickness is not looked at.
    blind: bool,
    promises_gap: bool,
    /// Whether the law speaks of the gap at the end of the step.
    on_gap: bool,
    /// What the scheme says of penetration, and whether it holds joints on velocities only.
    says_of_gaps: &'static str,
    joints_drift: bool,
    solver: Worst,
    /// Contact problems accepted above the tolerance.
    loose: u64,
    hash: StateHash,
    steps: u64,
    solves: u64,
    iterations: u64,
    most_iterations: u64,
    t_end: f64,
    last_q: Vec<f64>,
}

impl Audit {
    /// Nothing seen yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether it has the model's sizes, as after reading it from a checkpoint.
    pub fn fits(&self, model: &Model) -> bool {
        self.last_q.len() == model.n_q()
    }

    /// Steps seen.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Time reached.
    pub fn t_end(&self) -> f64 {
        self.t_end
    }

    /// Contact problems solved and iterations spent.
    pub fn solver_work(&self) -> (u64, u64) {
        (self.solves, self.iterations)
    }

    /// The most iterations any one step took.
    pub fn most_iterations(&self) -> u64 {
        self.most_iterations
    }

    /// The largest E seen [J].
    pub fn largest_energy(&self) -> f64 {
        self.largest_energy
    }

    /// What a residual or a gain may be [J]: a part of the energies seen, and no less than the round-off of m g x, of which
    /// potentials and works of reactions are made; a structure at rest has no energy but this.
    fn allowed(&self) -> f64 {
        let round_off = 16.0 * f64::EPSILON * self.weight * (self.size + self.reach);
        (ENERGY_TOLERANCE * self.scale()).max(round_off)
    }

    /// The energy that residuals and gains are compared with [J].
    fn scale(&self) -> f64 {
        self.largest_energy.max(self.largest_exchange)
    }

    /// The largest energy in words; what went through the steps where a potential counted from the start leaves next to none of it.
    fn told_scale(&self) -> String {
        let passed = self.largest_work;
        let told = if self.largest_energy > 1e-3 * passed { self.largest_energy } else { passed };
        if (0.01..1e6).contains(&told) { format!("{told:.4}") } else { format!("{told:.4e}") }
    }

    /// The largest |residual| of the ledger [J].
    pub fn largest_residual(&self) -> f64 {
        self.residual.value
    }

    /// The largest energy created in one step [J], zero when none was.
    pub fn largest_gain(&self) -> f64 {
        self.created.value
    }

    /// The largest work that dampers put into the system in a step [J].
    pub fn largest_of_dampers(&self) -> f64 {
        self.damping.value
    }

    /// The deepest penetration [m].
    pub fn deepest(&self) -> f64 {
        self.depth.value
    }

    /// What friction did; none where no contact has friction.
    pub fn friction(&self) -> Option<FrictionCounts> {
        self.friction.then(|| FrictionCounts {
            impacts: self.impacts,
            fallbacks: self.fallbacks,
            complementarity: ratio(self.complementarity, self.largest_power),
        })
    }

    /// Fingerprint of every state of the run.
    pub fn state_hash(&self) -> String {
        self.hash.finish()
    }

    fn watch_gap(&mut self, gap: f64, t: f64, contact: usize) {
        self.depth.raise(-gap, t, Some(contact));
        if gap >= 0.0 {
            return;
        }
        let Some(model) = &self.model else { return };
        let Some(scene) = model.bodies() else {
            if self.blind {
                return;
            }
            return self.part.raise(-gap / model.half_thickness(contact), t, Some(contact));
        };
        let Some(path) = &self.path else { return };
        let id = contact as u64;
        // ℓ of play in a joint is its clearance; a single stop has none
        let l = match scene.joint_of(id) {
            Some(_) => scene.joint_clearance(id).unwrap_or(f64::INFINITY),
            None => path.half_thickness(scene.pair_of(id)),
        };
        // what gives way is no fault until it is nearly through
        if scene.contact_law(id).compliance.is_some() && -gap <= THROUGH * l {
            return;
        }
        self.part.raise(-gap / l, t, Some(contact));
    }

    /// The gap at the end of a step, where the features of its start may be those of another place: what would be the deepest so far is
    /// looked at again.
    fn watch_end(&mut self, gap: f64, t: f64, contact: usize, q: &[f64]) {
        let (Some(path), Some(scene)) = (&mut self.path, self.model.as_ref().and_then(Model::bodies)) else {
            return self.watch_gap(gap, t, contact);
        };
        let id = contact as u64;
        if gap >= 0.0 || scene.joint_of(id).is_some() || scene.has_lasting_gap(id) {
            return self.watch_gap(gap, t, contact);
        }
        let pair = scene.pair_of(id);
        if -gap <= self.depth.value && -gap <= self.part.value * path.half_thickness(pair) {
            return;
        }
        let depth = path.overlap(scene, pair, q, q).map_or(0.0, |overlap| overlap.depth);
        self.watch_gap(gap.max(-depth), t, contact);
    }

    /// Overlap on the way of a step, of bodies that are fast beside their thickness.
    fn watch_path(&mut self, crossing: Option<Crossing>, t: f64) {
        let Some(scene) = self.model.as_ref().and_then(Model::bodies) else { return };
        let Some(Crossing { bodies: [i, j], depth, part, .. }) = crossing else { return };
        let id = (i as u64 * scene.len() as u64 + j as u64) << 16;
        self.part.raise(part, t, Some(id as usize));
        if part > NOTICED {
            self.depth.raise(depth, t, Some(id as usize));
        }
    }

    /// Looks at no thickness: for rows that are not all steps.
    pub fn without_paths(&mut self) {
        self.path = None;
        self.blind = true;
    }

    /// Steps made in parts so that nothing passes through.
    pub fn steps_in_parts(&self) -> u64 {
        self.in_parts
    }

    /// The verdicts, given what was promised and a solver tolerance that had to be met.
    pub fn verdicts(&self, guarantee: &Guarantee, tolerance: f64) -> Verdicts {
        self.judged(guarantee, &SolverOptions { tolerance, ..SolverOptions::default() })
    }

    /// The verdicts, given what was promised and what was asked of the solver.
    pub fn judged(&self, guarantee: &Guarantee, options: &SolverOptions) -> Verdicts {
        let tolerance = options.tolerance;
        // contacts that entered after the last look
        let mut last = self.clone();
        if let Some(model) = &self.model {
            for i in 0..model.n_contacts() {
                last.watch_gap(model.gap(i, &self.last_q, self.t_end), self.t_end, i);
            }
            // no step begins where the last one ends
            if let Some((depth, id)) = model.bodies().and_then(|scene| scene.deepest_overlap(&self.last_q)) {
                last.watch_gap(-depth, self.t_end, id as usize);
            }
        }
        Verdicts {
            energy: self.energy(guarantee),
            gap: last.gap(tolerance),
            cone: self.cone(options),
            joints: self.joints(tolerance),
            momentum: self.momentum.certificate(
                self.model.as_ref().and_then(|model| model.bodies()).map(|b| &**b),
                self.promises_momentum,
            ),
            solver: self.solver(options),
        }
    }

    fn energy(&self, guarantee: &Guarantee) -> Certificate {
        let allowed = self.allowed();
        let (residual, created) = (self.residual, self.created);
        let certificate =
            |status, worst: Worst, text| Certificate { status, worst: worst.value, t: worst.t, contact: None, text };
        if residual.value > allowed {
            let text = format!(
                "the ledger does not close: residual {:.2e} J, largest energy {} J",
                residual.value,
                self.told_scale()
            );
            return certificate(Verdict::Fail, residual, text);
        }
        if created.value > allowed {
            let steps = self.created_steps;
            let excused = guarantee.holds && self.unexcused.value <= allowed;
            let why = match (guarantee.holds, excused) {
                (true, true) => "within Σ|w·p| of contact problems that were not solved to the tolerance",
                (true, false) => "a theorem excludes this",
                (false, _) => "no theorem excludes it here",
            };
            let (one, all) = (created.value, self.created_sum);
            let text = format!("energy was created: {one:.3e} J in one step, {all:.3e} J in {steps} steps; {why}");
            let status = if guarantee.holds && !excused { Verdict::Fail } else { Verdict::Warn };
            return certificate(status, created, text);
        }
        if self.damping.value > allowed {
            let text = format!(
                "dampers put in {:.3e} J in one step: the damping work of this scheme has no sign; reduce the step, or C has a \
                 negative direction",
                self.damping.value
            );
            return certificate(Verdict::Warn, self.damping, text);
        }
        if !guarantee.has_identity() {
            let text = "no identity is known; measured balance: no step gained energy".to_string();
            return certificate(Verdict::Pass, created, text);
        }
        let promise = match guarantee.level {
            Level::Theorem => "none created, as the theorem says".to_string(),
            Level::Filtered => {
                format!("no energy beyond the filtered works; plain works: {:.1e} J in a step", self.plain_gain)
            }
            Level::Measured => "none created, though no theorem applies".to_string(),
        };
        certificate(
            Verdict::Pass,
            residual,
            format!("ledger closes to {:.1e} J of {} J; {promise}", residual.value, self.told_scale()),
        )
    }

    /// The largest energy created in one step [J] and when [s], where it is a tenth of the largest energy or more: the sign of a
    /// motion that has become unstable.
    pub fn burst(&self) -> Option<(f64, f64)> {
        let Worst { value, t, .. } = self.created;
        (value > 0.1 * self.scale()).then_some((value, t))
    }

    /// With problems solved to a tolerance.
    fn gap(&self, tolerance: f64) -> Certificate {
        if self.model.as_ref().is_none_or(|model| !model.has_contacts()) {
            return nothing("nothing can touch");
        }
        let depth = self.depth;
        // stops and backlash of hinges are angles
        let scene = self.model.as_ref().and_then(Model::bodies);
        let turns = depth.contact.is_some_and(|id| self.model.as_ref().is_some_and(|model| model.is_angular(id)));
        let unit = if turns { "rad" } else { "m" };
        if self.promises_gap {
            // beyond the promise by no more than the residual asked of its problem leaves over a step, the solver's doing
            let (promised, solved) = (NO_PENETRATION * self.size.max(1e-3), tolerance * self.stride);
            let mut text = format!("deepest penetration {:.1e} {unit}, promised ≤ {promised:.1e} {unit}", depth.value);
            let status = if depth.value <= promised {
                Verdict::Pass
            } else if depth.value <= solved {
                text += &format!("; problems solved to {tolerance:.0e} leave up to {solved:.1e} {unit}");
                Verdict::Warn
            } else {
                Verdict::Fail
            };
            if self.corrects && self.pull.value > PULLS * self.push {
                let part = self.pull.value / self.push.max(f64::MIN_POSITIVE);
                text += &format!(
                    "; corrected impulses pull by up to {part:.1e} of the largest, at t = {:.6} s",
                    self.pull.t
                );
            }
            return Certificate { status, worst: depth.value, t: depth.t, contact: depth.contact, text };
        }
        let mut text = if depth.value > 0.0 {
            let gives = depth.contact.zip(scene).is_some_and(|(id, s)| s.contact_law(id as u64).compliance.is_some());
            let says = match (gives, self.on_gap) {
                (true, _) => GIVES_WAY,
                (false, true) => LAW_ON_GAPS,
                (false, false) => self.says_of_gaps,
            };
            format!("deepest penetration {:.3e} {unit}; {says}", depth.value)
        } else {
            "no penetration".to_string()
        };
        let part = self.part;
        let mut status = if depth.value > 0.0 { Verdict::Report } else { Verdict::Pass };
        if part.value > NOTICED {
            let failed = part.value > THROUGH || self.on_gap;
            status = if failed { Verdict::Fail } else { Verdict::Warn };
            let jointed = part.contact.is_some_and(|id| scene.is_some_and(|scene| scene.joint_of(id as u64).is_some()));
            let remedy = if jointed { SMALLER_IN_JOINT } else { SMALLER };
            text += &format!("; {} at t = {:.6} s{}", self.overlap(&part), part.t, if failed { remedy } else { "" });
            return Certificate { status, worst: depth.value, t: part.t, contact: part.contact, text };
        }
        Certificate { status, worst: depth.value, t: depth.t, contact: depth.contact, text }
    }

    /// Who is in whom, and how far.
    fn overlap(&self, part: &Worst) -> String {
        let scene = self.model.as_ref().and_then(Model::bodies);
        if let Some(play) = scene.zip(part.contact).and_then(|(scene, id)| scene.clearance_name(id as u64)) {
            return format!("{play} is overrun by {:.2} of it", part.value);
        }
        let names = scene.zip(part.contact).map(|(scene, id)| {
            let [a, b] = scene.pair_of(id as u64).map(|i| scene.bodies()[i].name.clone());
            format!("\"{a}\" and \"{b}\" overlap")
        });
        let solid =
            || self.model.as_ref().zip(part.contact).map(|(model, i)| format!("{} overlaps", model.contact_name(i)));
        let names = names.or_else(solid).unwrap_or_else(|| "two bodies overlap".into());
        format!("{names} by {:.2} of the least half-thickness of the two", part.value)
    }

    fn cone(&self, options: &SolverOptions) -> Certificate {
        let tolerance = options.tolerance;
        if !self.friction {
            return nothing("no frictional contact");
        }
        if self.largest_impulse == 0.0 {
            return nothing("no frictional contact pushed");
        }
        if self.law.is_some_and(|law| law.in_parts) {
            // membership is a part of the residual of each problem
            let worst = self.solver.value;
            let status = match worst {
                worst if worst <= tolerance => Verdict::Pass,
                worst if worst <= options.acceptable() => Verdict::Warn,
                _ => Verdict::Fail,
            };
            let text =
                format!("the impulses of the parts of a step lie in their cones to the solver's residual {worst:.1e}");
            return Certificate { status, worst, t: self.solver.t, contact: None, text };
        }
        let worst = ratio(self.cone.value, self.largest_impulse);
        let status = if worst <= tolerance { Verdict::Pass } else { Verdict::Fail };
        let text = format!("‖p_T‖ exceeds μ p_N by at most {worst:.1e} of the largest impulse (asked {tolerance:.0e})");
        Certificate { status, worst, t: self.cone.t, contact: self.cone.contact, text }
    }

    /// Cone and complementarity of the frictional contacts of a step.
    fn watch_cone(&mut self, step: &Step) {
        let (Some(model), Some(law)) = (&self.model, self.law) else { return };
        for (c, tangential) in step.contacts.iter().zip(&step.friction) {
            let (mu, mu_r) = (model.friction(c.id), model.rolling(c.id));
            if mu == 0.0 && mu_r == 0.0 {
                continue;
            }
            let p_t = math::hypot(tangential.p[0], tangential.p[1]);
            if law.in_parts {
                self.largest_impulse = self.largest_impulse.max(math::hypot(c.p, p_t));
                continue;
            }
            self.cone.raise(p_t - mu * c.p, step.after.t, Some(c.id));
            if mu_r > 0.0 {
                // as an impulse: ‖m‖/μ_r ≤ p_N
                let moment = math::hypot(tangential.m[0], tangential.m[1]);
                self.cone.raise(moment / mu_r - c.p, step.after.t, Some(c.id));
            }
            self.largest_impulse = self.largest_impulse.max(math::hypot(c.p, p_t));
            // a step of located events holds many states: only impulses can be judged by their sums
            if step.located {
                continue;
            }
            let e = law.activation.restitution(c.u_before, model.restitution(c.id), law.e_open);
            let alpha = if tangential.fremond { law.e_open } else { 0.0 };
            // a lasting contact that is deep is held, as one that opens is (`contact/deep.rs`)
            let w_n = [e, law.e_open].map(|e| c.u_after + e * c.u_before);
            let held = c.gap < 0.0 && w_n[1].abs() < w_n[0].abs();
            let gives = model.bodies().is_some_and(|scene| scene.contact_law(c.id as u64).compliance.is_some());
            // a force of the depth meets its law by what it is
            let w_n = if gives { 0.0 } else { w_n[usize::from(held)] };
            let w_t: [f64; 2] = std::array::from_fn(|k| tangential.u_after[k] + alpha * tangential.u_before[k]);
            let slip = math::hypot(w_t[0], w_t[1]);
            let w_r: [f64; 2] = std::array::from_fn(|k| tangential.w_after[k] + alpha * tangential.w_before[k]);
            let mut power = c.p * (w_n + mu * slip + mu_r * math::hypot(w_r[0], w_r[1]));
            for k in 0..2 {
                power += tangential.p[k] * w_t[k] + tangential.m[k] * w_r[k];
            }
            self.complementarity = self.complementarity.max(power.abs());
            let size = c.u_before.abs().max(c.u_after.abs()).max(c.u_free.abs()).max(slip);
            self.largest_power = self.largest_power.max(math::hypot(c.p, p_t) * size);
        }
        self.impacts += step.info.impacts as u64;
        self.fallbacks += step.info.fallbacks as u64;
    }

    fn joints(&self, tolerance: f64) -> Certificate {
        if self.model.as_ref().is_none_or(|model| model.n_joints() == 0) {
            return nothing("no joint");
        }
        let size = self.size.max(f64::MIN_POSITIVE);
        let mut text = format!("largest violation {:.1e} m", self.joint.value);
        let status = match (self.joint.value <= tolerance * size, self.joints_drift) {
            (true, _) => Verdict::Pass,
            (false, false) => Verdict::Fail,
            (false, true) if self.joint.value <= DRIFT * size => Verdict::Report,
            (false, true) => Verdict::Warn,
        };
        if status != Verdict::Pass && self.joints_drift {
            text += ": the scheme holds joints on velocities, and positions drift by O(h²); generalized-alpha-ggl and \
                     energy-momentum hold them";
        }
        Certificate { status, worst: self.joint.value, t: self.joint.t, contact: None, text }
    }

    fn solver(&self, options: &SolverOptions) -> Certificate {
        if self.solves == 0 {
            return nothing("no contact problem was met");
        }
        let (tolerance, enough, worst) = (options.tolerance, options.acceptable(), self.solver.value);
        let mut text =
            format!("{} contact problems, largest residual {worst:.1e} (asked {tolerance:.0e})", self.solves);
        let status = if worst <= tolerance {
            Verdict::Pass
        } else if worst <= enough {
            let loose = self.loose;
            text += &format!(
                ": {loose} accepted above it, {enough:.0e} being enough where solver.tolerance is not written"
            );
            Verdict::Warn
        } else {
            Verdict::Fail
        };
        Certificate { status, worst: self.solver.value, t: self.solver.t, contact: None, text }
    }
}

fn ratio(x: f64, y: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x / y.max(f64::MIN_POSITIVE) }
}

pub(super) fn nothing(text: &str) -> Certificate {
    Certificate { status: Verdict::None, worst: 0.0, t: 0.0, contact: None, text: text.to_string() }
}

impl Recorder for Audit {
    fn start(&mut self, start: &Start) -> Result<(), Stop> {
        self.model = Some(start.model.clone());
        self.identity = Guarantee::new(start.scheme, start.model).has_identity();
        self.friction = start.model.has_friction();
        let facts = start.scheme.facts();
        self.law = Some(Law {
            activation: start.scheme.activation,
            e_open: facts.opening_restitution,
            in_parts: facts.contact_frame == ContactFrame::Parts,
        });
        self.promises_gap = start.scheme.promises_gap(start.model);
        self.on_gap = start.scheme.activation == crate::Activation::Gap;
        self.corrects = start.scheme.activation == crate::Activation::Equilibrium;
        self.promises_momentum = start.scheme.facts().promises.momentum;
        self.path = start.model.bodies().map(|scene| PathSearch::new(scene));
        self.says_of_gaps = start.scheme.facts().penetration;
        self.joints_drift = start.scheme.lets_joints_drift(start.model);
        self.size = start.state.q.iter().fold(0.0, |s, q| q.abs().max(s));
        if let Some(scene) = start.model.bodies() {
            let free = scene.bodies().iter().filter(|body| body.is_free() && body.reach.is_finite());
            (self.weight, self.reach) = (0.0, 0.0);
            for body in free {
                self.weight += body.heavy_mass() * norm(&scene.gravity());
                self.reach = self.reach.max(body.reach);
            }
            self.momentum.start(scene, &start.state.q, &start.state.v);
        }
        self.largest_energy = start.ledger.energy().abs();
        self.t_end = start.state.t;
        self.last_q = start.state.q.clone();
        self.hash.add(&start.state.q);
        self.hash.add(&start.state.v);
        Ok(())
    }

    #[inline]
    fn record(&mut self, _number: u64, step: &Step) -> Result<(), Stop> {
        let t = step.after.t;
        self.steps += 1;
        self.t_end = t;
        let entry = &step.ledger;
        self.largest_energy = self.largest_energy.max(entry.energy().abs());
        // energies that pass through a step count as seen: a body at rest under its weight has none of its own
        let works = entry.work_external.abs()
            + entry.work_damping.abs()
            + entry.work_contact.abs()
            + entry.work_projection.unwrap_or(0.0).abs();
        let mut exchanged = works + entry.dissipation_numerical.abs();
        // a potential counted from where the motion starts hides the energy that swings
        exchanged = exchanged.max(entry.kinetic);
        self.largest_work = self.largest_work.max(exchanged);
        for c in &step.contacts {
            exchanged = exchanged.max(c.p * c.u_free.abs().max(c.u_before.abs()).max(c.u_after.abs()));
        }
        for k in &step.friction {
            let u = math::hypot(k.u_before[0], k.u_before[1]).max(math::hypot(k.u_after[0], k.u_after[1]));
            exchanged = exchanged.max(math::hypot(k.p[0], k.p[1]) * u);
            let w = math::hypot(k.w_before[0], k.w_before[1]).max(math::hypot(k.w_after[0], k.w_after[1]));
            exchanged = exchanged.max(math::hypot(k.m[0], k.m[1]) * w);
        }
        self.largest_exchange = self.largest_exchange.max(exchanged);
        self.damping.raise(entry.work_damping, t, None);
        // without an identity what the works do not explain was created or lost by the scheme
        let created = if self.identity { entry.gained() } else { entry.gained() + entry.balance };
        if self.identity {
            self.residual.raise(entry.balance.abs(), t, None);
        }
        if let Some(plain) = entry.work_external_plain {
            self.plain_gain = self.plain_gain.max(entry.created() + entry.work_external - plain);
        }
        if created > self.allowed() {
            self.created_sum += created;
            self.created_steps += 1;
        }
        self.created.raise(created, t, None);
        self.unexcused.raise(created - step.info.slack, t, None);
        self.loose += step.info.loose as u64;
        if let Some((gap, contact)) = step.smallest_gap {
            self.watch_gap(gap, t - step.h, contact);
        }
        for c in &step.contacts {
            self.pull.raise(-c.p, t, Some(c.id));
            self.push = self.push.max(c.p);
            self.watch_end(c.gap, t, c.id, &step.after.q);
        }
        self.watch_path(step.crossing, t);
        self.in_parts += u64::from(step.parts > 1);
        if self.friction {
            self.watch_cone(step);
        }
        if step.info.solves > 0 {
            self.solves += step.info.solves as u64;
            self.iterations += step.info.iterations as u64;
            self.most_iterations = self.most_iterations.max(step.info.iterations as u64);
            self.solver.raise(step.info.residual, t, None);
        }
        if let Some(model) = &self.model
            && model.n_joints() > 0
        {
            for j in 0..model.n_joints() {
                self.joint.raise(model.joint_distance(j, &step.after.q), t, None);
            }
        }
        let scene = self.model.as_ref().and_then(|model| model.bodies());
        self.momentum.step(scene.map(|scene| &**scene), &self.last_q, step);
        for q in &step.after.q {
            self.size = self.size.max(q.abs());
        }
        self.stride = self.stride.max(vector::max_abs(&step.after.v) * step.h);
        self.hash.add(&step.after.q);
        self.hash.add(&step.after.v);
        self.last_q.copy_from_slice(&step.after.q);
        Ok(())
    }
}

crate::packed! { Worst { value, t, contact } }
crate::packed_part! {
    Audit {
        largest_energy,
        largest_exchange,
        largest_work,
        damping,
        residual,
        created,
        unexcused,
        created_sum,
        created_steps,
        plain_gain,
        depth,
        pull,
        push,
        stride,
        part,
        in_parts,
        joint,
        momentum,
        cone,
        largest_impulse,
        complementarity,
        largest_power,
        impacts,
        fallbacks,
        size,
        solver,
        loose,
        hash,
        steps,
        solves,
        iterations,
        most_iterations,
        t_end,
        last_q,
    } except { model, path, blind, weight, reach, friction, law, identity, promises_gap, promises_momentum, on_gap, corrects, says_of_gaps, joints_drift }
}
