//! Drives that cannot be followed: against each other, seen before the run, or against a contact, seen when it closes.

use crate::StepFailure;
use crate::bodies::joint_system::{JointSystem, Push, dot6};
use crate::bodies::spin::Wrench;
use crate::bodies::theta_step::BodiesStart;
use crate::contact::jointed::JointedContacts;
use percussion_model::bodies::{Bodies, Frame, Joint, RowLaw, Twist};
use percussion_model::{Code, InputError};
use std::sync::Arc;

/// Part of the mobility it would have without joints below which a contact has none.
const IMMOBILE: f64 = 1e-9;

fn is_driven(joint: &Joint) -> bool {
    joint.rows.iter().any(|row| matches!(row.law, RowLaw::Rate(_)))
}

fn names(scene: &Bodies, joints: &[usize]) -> String {
    let names: Vec<String> = joints.iter().map(|&j| format!("\"{}\"", scene.joints()[j].name)).collect();
    names.join(", ")
}

/// Refuses speeds of drives and of moved bodies that exclude each other where the run starts.
pub fn check_drives(scene: &Arc<Bodies>) -> Result<(), InputError> {
    let n = scene.len();
    let told: Vec<Twist> = (0..n).map(|i| scene.imposed(i, 0.0).unwrap_or_default()).collect();
    let moved = told.iter().any(|twist| *twist != Twist::default());
    if !moved && !scene.joints().iter().any(is_driven) {
        return Ok(());
    }
    let mut system = JointSystem::new(Arc::clone(scene), 1.0);
    let m = system.len();
    let frames: Vec<Frame> = (0..n).map(|i| scene.frame(i, scene.q0())).collect();
    let (still, wrenches) = (vec![Twist::default(); n], vec![Wrench::default(); n]);
    let from = BodiesStart { q: scene.q0(), frames: &frames, before: &still, wrenches: &wrenches, t: 0.0, h: 0.0 };
    system.go(&from, &still);
    system.evaluate(&from, &still, &vec![0.0; m], &Push::none(n), true);
    if !system.factor(&from, &still) {
        return Ok(());
    }
    let joints = system.conflict(0.0, &told);
    let (driven, held): (Vec<usize>, Vec<usize>) = joints.into_iter().partition(|&j| is_driven(&scene.joints()[j]));
    let (field, message, help) = match (driven.as_slice(), held.as_slice()) {
        ([], []) => return Ok(()),
        ([], [first, ..]) => (
            format!("joint[{first}]"),
            format!("bodies are moved as joint {} does not allow", names(scene, &held)),
            "give the bodies speeds that the joints allow",
        ),
        ([one], _) => (
            format!("joint[{one}].motor"),
            format!(
                "the drive of joint {} asks for a speed that joint {} does not allow",
                names(scene, &driven),
                names(scene, &held)
            ),
            "remove the drive or the joint, or drive with motor = { force = … }",
        ),
        ([.., last], _) => (
            format!("joint[{last}].motor"),
            format!("the drives of joints {} ask for speeds that exclude each other", names(scene, &driven)),
            "remove one, give speeds that agree, or drive with motor = { force = … }",
        ),
    };
    Err(InputError::new(Code::JOINTS_CONTRADICT, field, message, help))
}

/// Refuses dry friction in joints by schemes that do not know it, and where `iterates` says so rotors and dampers that set in with a jump.
pub fn check_resistance(scene: &Bodies, scheme: &str, iterates: bool) -> Result<(), InputError> {
    for (j, joint) in scene.joints().iter().enumerate() {
        let any = |of: fn(&RowLaw) -> bool| iterates && joint.rows.iter().any(|row| of(&row.law));
        let (key, what) = if joint.friction_force > 0.0 {
            ("friction_force", "dry friction in joints")
        } else if any(|law| matches!(law, RowLaw::Rotor { .. })) {
            ("armature", "rotors on joints")
        } else if any(|law| matches!(law, RowLaw::Curve(curve) if curve.jumps())) {
            ("acts", "dampers that act from one side")
        } else {
            continue;
        };
        let message = format!("{scheme} does not know {what}, and joint \"{}\" has {key}", joint.name);
        let help = "use moreau-jean or energy-momentum";
        return Err(InputError::new(Code::UNSUPPORTED, format!("joint[{j}].{key}"), message, help));
    }
    Ok(())
}

/// Refuses bodies without mass beside elements that share mass, by schemes that invert it node by node.
pub fn check_masses(scene: &Bodies, scheme: &str) -> Result<(), InputError> {
    let Some(i) = scene.bodies().iter().position(|body| body.stand_in.is_some()) else { return Ok(()) };
    if !scene.has_elements() && scene.reduced().is_empty() {
        return Ok(());
    }
    let message = format!(
        "{scheme} does not know bodies without mass beside elastic ones, and \"{}\" has none",
        scene.bodies()[i].name
    );
    let help = "use moreau-jean or energy-momentum, or give it mass and inertia: 1e-3 of what it carries";
    Err(InputError::new(Code::UNSUPPORTED, format!("body[{i}].massless"), message, help))
}

/// Times the largest speed at which the impulse of a contact would throw its bodies were they free: beyond it the contact pushes at joints and drives that do
/// not give way, and what it moves is the round-off of its mobility.
const THROWN: f64 = 1e6;

/// A contact as `immobile` looks at it: number, bodies, whether it is a stop, the velocity there without impulses, its mobility and the one it would have
/// without joints.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    pub id: u64,
    pub bodies: [usize; 2],
    pub is_stop: bool,
    pub u_free: f64,
    pub mobility: f64,
    pub alone: f64,
}

impl Reached {
    /// Whether joints and drives leave a contact that is approached no freedom.
    pub fn is_blocked(&self) -> bool {
        self.u_free < 0.0 && self.mobility.abs() <= IMMOBILE * self.alone
    }

    /// Whether it pushes at what does not give way with an impulse `p`, where nothing is faster than `speed`.
    pub fn pushes_in_vain(&self, p: f64, speed: f64) -> bool {
        self.is_blocked() && p * self.alone > THROWN * speed
    }

    /// That there is no answer, and what to do.
    pub fn failure(&self, scene: &Bodies, failure: StepFailure) -> StepFailure {
        let what = match scene.joint_of(self.id) {
            Some(j) if self.is_stop => format!("the stop of joint {}", names(scene, &[j])),
            Some(j) => format!("the play of joint {}", names(scene, &[j])),
            None => {
                let [a, b] = self.bodies.map(|i| &scene.bodies()[i].name);
                format!("the contact of \"{a}\" and \"{b}\"")
            }
        };
        let message = format!(
            "{what} is reached at a speed of {:.3e}, and joints and drives leave it no freedom: no impulse can stop the motion",
            -self.u_free
        );
        let help =
            "drive with motor = { force = … } instead of a speed, let the speed end before the stop, or widen limits";
        StepFailure { code: Code::NO_SOLUTION, message, help: help.into(), ..failure }
    }
}

/// Says so where a contact that closes is left no freedom by joints and drives; the failure as it is elsewhere.
pub fn blocked(failure: StepFailure, scene: &Bodies, system: &JointSystem, contacts: &JointedContacts) -> StepFailure {
    for (touch, mobility, u_free) in contacts.judged() {
        let alone = |side: usize| dot6(&touch.rows[0][side], &system.respond(touch.bodies[side], &touch.rows[0][side]));
        let (id, bodies, is_stop, alone) = (touch.id, touch.bodies, touch.place.is_none(), alone(0) + alone(1));
        let reached = Reached { id, bodies, is_stop, u_free, mobility, alone };
        if reached.is_blocked() {
            return reached.failure(scene, failure);
        }
    }
    failure
}
