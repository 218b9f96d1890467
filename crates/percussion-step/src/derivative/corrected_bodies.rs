//! Bodies under generalized-α with positions and velocities apart: x = (q, v, a, v̇), y = (v̇⁺, λ, U, ν_b, ν, v⁺, Λ, P).
//!
//!   M v̇⁺ + … = f + Dᵀλ at (q̃, ṽ), the laws of λ
//!   U = U_T + M⁻¹(Dᵀν_b + H_Nᵀν),   c(q⁺) = target,   g(q⁺) = 0 where ν > 0,   q⁺ = q̃ ⊕ U
//!   v⁺ = ṽ + M⁻¹(DᵀΛ + HᵀP),   D v⁺ = 0 or ω,   the laws of contacts on u⁺ and u with H at q⁺
//!   x⁺ = (q⁺, v⁺, a⁺, v̇⁺), a function of x and y
//!
//! What these lack is told by the scheme itself (`ggl/bodies/given.rs`).

use crate::derivative::bodies::{BEYOND, Setting, laws};
use crate::derivative::contacts::{Along, Touch};
use crate::derivative::implicit::{Carried, Solved, Whole, obeyed};
use crate::derivative::{Columns, Follow, NotDifferentiated, Variants};
use crate::schemes::ggl::bodies::given::{Begun, Given, Kept, Left};
use crate::schemes::ggl::bodies::{BodiesGgl, Row};
use crate::{Memory, Model, NewmarkLike, ParameterModels, Problem, Scheme, State, Step, StepStart, Stepper};
use percussion_matrix::vector;
use percussion_model::bodies::{Bodies, Twist};
use percussion_solve::SolverOptions;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Part of lengths, velocities and impulses below which a margin is round-off: what several contacts share one of them may do without.
const FLOOR: f64 = 1e-13;
/// Part of a turn over which D v is differenced at the start of a run.
const START: f64 = 1e-2;

/// The scheme on a scene.
struct GglEquations {
    scene: Arc<Bodies>,
    stepper: Mutex<BodiesGgl>,
}

impl GglEquations {
    fn new(model: &Model, alpha: NewmarkLike, scheme: &Scheme, options: SolverOptions) -> Result<Arc<Self>, String> {
        let scene = model.bodies().ok_or("no bodies")?;
        let stepper = Mutex::new(BodiesGgl::new(Arc::clone(scene), alpha, scheme, options));
        Ok(Arc::new(Self { scene: Arc::clone(scene), stepper }))
    }

    fn stepper(&self) -> MutexGuard<'_, BodiesGgl> {
        self.stepper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same run from another state, at its start.
    fn first(&self, by: &Setting, x: &[f64]) -> Vec<f64> {
        let n_q = self.scene.n_q();
        let state = State { t: 0.0, q: x[..n_q].to_vec(), v: x[n_q..].to_vec() };
        by.packed(&self.scene, &self.stepper().first_rates(&state, START))
    }
}

impl Setting {
    /// Rows of the free bodies, one after the other.
    fn packed(&self, scene: &Bodies, rows: &[Row]) -> Vec<f64> {
        let n = scene.v_per_body();
        let mut list = vec![0.0; n * self.free.len()];
        for (k, &i) in self.free.iter().enumerate() {
            let [x, y, z, w @ ..] = rows[i];
            scene.write_twist(k, &Twist { v: [x, y, z], w }, &mut list);
        }
        list
    }

    /// The way back; zero for bodies that are not free.
    fn unpacked(&self, scene: &Bodies, list: &[f64]) -> Vec<Row> {
        let mut rows = vec![[0.0; 6]; scene.len()];
        for (k, &i) in self.free.iter().enumerate() {
            let Twist { v, w } = scene.twist(k, list);
            rows[i] = [v[0], v[1], v[2], w[0], w[1], w[2]];
        }
        rows
    }
}

/// A step, its contacts in the form they had.
struct CorrectedStep<'a> {
    by: &'a Setting,
    scene: &'a Bodies,
    kept: Kept,
    t: f64,
    h: f64,
    /// The closed contacts, and whether their gaps are closed by ν.
    touches: Vec<Touch>,
    lifted: Vec<bool>,
    counts: Vec<bool>,
    shifted: bool,
    /// Components of an impulse; of every row of the joints, whether it holds places and velocities.
    d: usize,
    holds: Vec<[bool; 2]>,
    margin: Vec<f64>,
    /// The contacts within reach at q̃ and at q⁺.
    near: [Vec<u64>; 2],
    slip: f64,
    momentum: f64,
}

impl<'a> CorrectedStep<'a> {
    /// The equations of a step from a state with the guess; `next` is what it carries on.
    fn of(
        by: &'a Setting,
        model: &'a GglEquations,
        (state, memory): (&State, &Memory),
        (step, next): (&Step, &Memory),
        (x, shifted): (&[f64], bool),
    ) -> Option<(Self, Vec<f64>)> {
        let (scene, h) = (&*model.scene, step.h);
        let mut stepper = model.stepper();
        let (d, holds) = stepper.sizes();
        let (kept, ahead) = (stepper.kept(state, memory), stepper.kept(&step.after, next));
        let speed = vector::max_abs(&state.v).max(vector::max_abs(&step.after.v)).max(f64::MIN_POSITIVE);
        let momentum = step.contacts.iter().map(|c| c.p).fold(by.mass * speed, f64::max);
        let margin = scene.bodies().iter().map(|body| h * speed * (1.0 + body.reach.min(1e6)) + BEYOND * by.size);
        let mut form = Self {
            by,
            scene,
            kept,
            t: state.t,
            h,
            touches: Vec::new(),
            lifted: Vec::new(),
            counts: Vec::new(),
            shifted,
            d,
            holds,
            margin: margin.collect(),
            near: [Vec::new(), Vec::new()],
            slip: f64::INFINITY,
            momentum,
        };
        for c in &step.contacts {
            let (touch, slip) = by.touch(c.id, false, step, momentum);
            form.touches.push(touch);
            form.slip = form.slip.min(slip);
            let nu = |(id, nu): &(u64, f64)| *id == c.id as u64 && *nu > 0.0;
            form.lifted.push(ahead.nu.iter().any(nu));
        }
        let rates: Vec<Row> = ahead.rates.iter().map(|own| std::array::from_fn(|k| own[6 + k])).collect();
        let after: Vec<Row> =
            (0..scene.len()).map(|i| scene.twist(i, &step.after.v)).map(|t| [t.v, t.w].concat()).map(row).collect();
        let zeros = |k: usize| vec![0.0; form.holds.iter().filter(|holds| holds[k]).count()];
        let mut y = by.packed(scene, &rates);
        let n = y.len();
        y.extend_from_slice(&ahead.lambda);
        y.resize(y.len() + n, 0.0);
        y.extend(zeros(0));
        let lifted = form.touches.iter().zip(&form.lifted).filter(|(_, lifted)| **lifted);
        let nu = |id: usize| ahead.nu.iter().find(|(of, _)| *of == id as u64).map_or(0.0, |(_, nu)| *nu);
        y.extend(lifted.map(|(touch, _)| nu(touch.id)));
        y.extend(by.packed(scene, &after));
        y.extend(zeros(1));
        for touch in form.touches.iter().filter(|touch| touch.pushes) {
            y.extend_from_slice(&touch.p[..=touch.tangents]);
        }

        // whose z counts in U_T, and who is near
        form.counts = vec![true; form.touches.len()];
        let given = form.given(&y);
        let (from, rates) = form.begun(x);
        let begun = form.begin(&from, &rates);
        let counts = stepper.counted(&begun, &given, &step.after.q, &form.margin)?;
        let left = stepper.left(&begun, &Given { counts: counts.clone(), ..given }, &form.margin);
        form.counts = counts;
        form.near = left.gaps.map(|gaps| gaps.into_iter().map(|(id, _)| id).collect());
        Some((form, y))
    }

    /// The state and the rates by body that x holds.
    fn begun(&self, x: &[f64]) -> (State, Vec<Vec<f64>>) {
        let (n_q, n_v) = (self.scene.n_q(), self.scene.n_v());
        let n = (x.len() - n_q - n_v) / 2;
        let [a, rate] = [&x[n_q + n_v..][..n], &x[n_q + n_v + n..]].map(|list| self.by.unpacked(self.scene, list));
        let rates = a.iter().zip(&rate).map(|(a, rate)| [*a, *rate].concat()).collect();
        (State { t: self.t, q: x[..n_q].to_vec(), v: x[n_q..n_q + n_v].to_vec() }, rates)
    }

    fn begin<'b>(&'b self, state: &'b State, rates: &'b [Vec<f64>]) -> Begun<'b> {
        Begun { state, rates, turned: &self.kept.turned, turns: &self.kept.turns, h: self.h, shifted: self.shifted }
    }

    /// y by its parts.
    fn given(&self, y: &[f64]) -> Given {
        let n = self.by.free.len() * self.scene.v_per_body();
        let mut k = 0;
        let mut take = |count: usize| {
            k += count;
            &y[k - count..k]
        };
        let rate = self.by.unpacked(self.scene, take(n));
        let lambda = take(self.holds.len()).to_vec();
        let way = self.by.unpacked(self.scene, take(n));
        let held = |level: usize, take: &mut dyn FnMut(usize) -> f64| -> Vec<f64> {
            self.holds.iter().map(|holds| if holds[level] { take(1) } else { 0.0 }).collect()
        };
        let nu_b = held(0, &mut |count| take(count)[0]);
        let nu = self.lifted.iter().map(|&lifted| if lifted { take(1)[0] } else { 0.0 }).collect();
        let after = self.by.unpacked(self.scene, take(n));
        let La = held(1, &mut |count| take(count)[0]);
        let mut p = vec![0.0; self.d * self.touches.len()];
        for (touch, p) in self.touches.iter().zip(p.chunks_exact_mut(self.d)).filter(|(touch, _)| touch.pushes) {
            p[..=touch.tangents].copy_from_slice(take(1 + touch.tangents));
        }
        let closed = self.touches.iter().map(|touch| touch.id as u64).collect();
        let pushing = self.touches.iter().zip(&self.lifted).map(|(touch, lifted)| touch.pushes || *lifted).collect();
        Given { rate, way, after, lambda, nu_b, La, closed, nu, p, counts: self.counts.clone(), pushing }
    }

    fn left(&self, model: &GglEquations, x: &[f64], y: &[f64]) -> (Given, Left) {
        let (state, rates) = self.begun(x);
        let given = self.given(y);
        let left = model.stepper().left(&self.begin(&state, &rates), &given, &self.margin);
        (given, left)
    }

    /// R with the margins of contacts.
    fn make(&self, given: &Given, left: &Left) -> (Vec<f64>, Vec<(usize, f64)>) {
        let packed = |rows: &[Row]| self.by.packed(self.scene, rows);
        let (mut R, mut margins) = (packed(&left.smooth), Vec::new());
        let speed = FLOOR * self.momentum / self.by.mass;
        R.extend_from_slice(&left.laws);
        R.extend(packed(&left.way));
        R.extend(left.places.iter().flatten());
        for (met, _) in left.met.iter().zip(&self.lifted).filter(|(_, lifted)| **lifted) {
            R.push(met.map_or(f64::NAN, |met| met.gap));
        }
        R.extend(packed(&left.velocity));
        R.extend(left.rates.iter().flatten());
        for ((touch, met), p) in self.touches.iter().zip(&left.met).zip(given.p.chunks_exact(self.d)) {
            let Some(met) = met else {
                let lost = if touch.pushes { 1 + touch.tangents } else { 0 };
                R.resize(R.len() + lost, f64::NAN);
                let count = 1 + usize::from(touch.along != Along::Free);
                margins.resize(margins.len() + count, (touch.id, f64::NAN));
                continue;
            };
            let e = if touch.held { 1.0 } else { met.restitution };
            let w = |k: usize| met.after[k] + met.before[k] * if k == 0 { e } else { touch.alpha };
            if !touch.pushes {
                margins.push((touch.id, w(0) + speed));
                continue;
            }
            let mut own = [0.0; 3];
            own[..p.len()].copy_from_slice(p);
            laws((touch, &own), w(0), w, met.friction, (&mut R, &mut margins));
        }

        // ν where it closes a gap; elsewhere gaps at both places
        for (k, ids) in self.near.iter().enumerate() {
            for &id in ids {
                let lifted =
                    self.touches.iter().zip(&self.lifted).position(|(of, lifted)| of.id as u64 == id && *lifted);
                let nu = lifted.map(|i| given.nu[i] + FLOOR * self.h * self.momentum);
                let gap = left.gaps[k].iter().find(|(of, _)| *of == id).map_or(f64::NAN, |(_, gap)| *gap);
                margins.push((id as usize, nu.unwrap_or(gap + FLOOR * self.by.size)));
            }
        }
        (R, margins)
    }

    /// x⁺.
    fn arrival(&self, left: &Left) -> Vec<f64> {
        let part = |k: usize| self.by.packed(self.scene, &left.next.iter().map(|next| next[k]).collect::<Vec<Row>>());
        [&left.q[..], &left.v, &part(0), &part(1)].concat()
    }
}

fn row(list: Vec<f64>) -> Row {
    std::array::from_fn(|k| list[k])
}

impl Whole<GglEquations> for CorrectedStep<'_> {
    fn residual(&self, model: &GglEquations, x: &[f64], y: &[f64]) -> Vec<f64> {
        let (given, left) = self.left(model, x, y);
        self.make(&given, &left).0
    }

    fn numbers(&self, model: &GglEquations, x: &[f64], y: &[f64]) -> (f64, Vec<(usize, f64)>) {
        let (given, left) = self.left(model, x, y);
        (left.work, self.make(&given, &left).1)
    }

    /// Equations are affine in multipliers and impulses.
    fn reach(&self, x: &[f64], y: &[f64]) -> [Vec<f64>; 2] {
        let (h, free) = (self.h, self.by.free.len());
        let [place, twist] = self.by.reach(h, self.slip);
        let many =
            |list: &[f64], count: usize| list.iter().copied().cycle().take(count * list.len()).collect::<Vec<f64>>();
        let [way, rate] = [h, 1.0 / h].map(|by| many(&twist, free).iter().map(|x| by * x).collect::<Vec<f64>>());
        let bodies = self.scene.len();
        let mut of_x = [many(&place, bodies), many(&twist, bodies), rate.clone(), rate.clone()].concat();
        of_x.truncate(x.len());
        let count = |k: usize| self.holds.iter().filter(|holds| holds[k]).count();
        let lifted = self.lifted.iter().filter(|lifted| **lifted).count();
        let mut of_y = rate;
        of_y.resize(of_y.len() + self.holds.len(), self.momentum / h);
        of_y.extend(way);
        of_y.resize(of_y.len() + count(0) + lifted, self.momentum * h);
        of_y.extend(many(&twist, free));
        of_y.resize(y.len(), self.momentum);
        [of_x, of_y]
    }
}

/// A run under way.
pub struct ByCorrectedBodies {
    run: Carried<GglEquations>,
    by: Setting,
    state: State,
    /// The scheme itself, which tells ν, with its memory.
    again: BodiesGgl,
    memory: Memory,
}

impl ByCorrectedBodies {
    /// At the start of a run.
    pub fn new(
        problem: &Problem,
        (scheme, options): (&Scheme, SolverOptions),
        alpha: NewmarkLike,
        parameters: &[ParameterModels],
        columns: &[Vec<f64>],
    ) -> Result<Self, String> {
        let kind = |model: &Model| GglEquations::new(model, alpha, scheme, options);
        let (model, parameters) = (kind(&problem.model)?, Variants::of(parameters, kind)?);
        let by = Setting::of(&model.scene, scheme, (1.0, true))?;
        let state = State { t: 0.0, q: problem.q0.clone(), v: problem.v0.clone() };
        let mut again = BodiesGgl::new(Arc::clone(&model.scene), alpha, scheme, options);
        let memory = again.start(&state);
        let x: Vec<f64> = problem.q0.iter().chain(&problem.v0).copied().collect();

        // a₀ = v̇₀ with their derivatives
        let [place, twist] = by.reach(1.0, f64::INFINITY);
        let many = |list: Vec<f64>| list.into_iter().cycle();
        let reach: Vec<f64> = many(place).take(problem.q0.len()).chain(many(twist).take(problem.v0.len())).collect();
        let mut run = Carried::new(model, parameters, false, x.clone(), columns);
        let size = by.free.len() * run.model.scene.v_per_body();
        for p in 0..run.parameters.len() {
            let lists = [(&x[..], &columns[p][..], &reach[..])];
            let d = run.total(p, &lists, size, |model, x| model.first(&by, &x[0]));
            run.columns[p].extend([&d[..], &d].concat());
        }
        let first = run.model.first(&by, &x);
        run.x.extend([&first[..], &first].concat());
        Ok(Self { run, by, state, again, memory })
    }
}

impl Follow for ByCorrectedBodies {
    fn state(&self) -> &State {
        &self.state
    }

    fn carried(&self) -> &dyn Columns {
        &self.run
    }

    fn advance(&mut self, step: &Step) -> Result<(), NotDifferentiated> {
        let Self { run, by, state, again, memory } = self;
        let unknown = NotDifferentiated::Unknown;
        let t = step.after.t;
        let other = || unknown(format!("the step to {t} s is not that of the equations: differences are taken"));

        // a step is pure: made again it does the same, and tells what
        let (mut own, mut next) = (Step::default(), memory.clone());
        let from = StepStart { state, memory, h: step.h };
        let unshifted = again.unshifted();
        again.step(&from, &mut own, &mut next).map_err(|failure| unknown(failure.message))?;
        let known = [&step.after.q[..], &step.after.v].concat();
        if !obeyed(&[&own.after.q[..], &own.after.v].concat(), &known, run.largest) {
            return Err(unknown(format!("the step to {t} s was made in parts: differences are taken")));
        }
        let shifted = again.unshifted() == unshifted;
        let model = Arc::clone(&run.model);
        let of = CorrectedStep::of(by, &model, (state, memory), (&own, &next), (&run.x, shifted));
        let (form, guess) = of.ok_or_else(other)?;
        let solved = run.solve(&form, guess, &[], t)?;
        let left = form.left(&model, &run.x, &solved.y).1;
        let after = form.arrival(&left);
        if !obeyed(&after, &known, run.largest) {
            return Err(other());
        }
        run.account(&form, &solved, state.t)?;
        let Solved { y, columns, .. } = &solved;
        let [reach_x, reach_y] = form.reach(&run.x, y);
        let arrival = |model: &GglEquations, at: &[Vec<f64>]| form.arrival(&form.left(model, &at[0], &at[1]).1);
        let one = |(p, d): (usize, &Vec<f64>)| {
            let lists = [(&run.x[..], &run.columns[p][..], &reach_x[..]), (&y[..], &d[..], &reach_y[..])];
            run.total(p, &lists, after.len(), arrival)
        };
        run.columns = columns.iter().enumerate().map(one).collect();
        run.x = after;
        // the run's own state, from which it goes on
        run.x[..known.len()].copy_from_slice(&known);
        (*state, *memory) = (step.after.clone(), next);
        Ok(())
    }
}
