//! The contacts of a scene of bodies as a list that does not change: shapes before planes, balls, stops of joints.
//!
//! What meets in ways that change from place to place (a face here, an edge there) has no smooth gap and is refused.

use crate::bodies::drives::check_resistance;
use percussion_model::bodies::{Bodies, LastingContact, Motion, RowLaw, Stop};
use percussion_model::{Code, InputError};

/// What gives a contact its gap.
#[derive(Clone, Debug)]
pub enum Touching {
    /// Two shapes.
    Shapes(LastingContact),
    /// A stop of a joint.
    Stop(Stop),
}

/// A contact with its law.
#[derive(Clone, Debug)]
pub struct BodyContact {
    /// As every scheme for bodies names it.
    pub id: usize,
    /// a and b.
    pub bodies: [usize; 2],
    /// Its gap.
    pub touching: Touching,
    /// e.
    pub restitution: f64,
    /// μ.
    pub friction: f64,
}

/// Contacts up to which a scene counts as small: all of them are watched all the time.
const MOST: usize = 400;

/// The contacts of a scene by rising identity, or why its motion between events is not known to be smooth.
pub fn body_contacts(scene: &Bodies, scheme: &str) -> Result<Vec<BodyContact>, InputError> {
    const OTHERS: &str = "use moreau-jean, moreau-jean-fremond, energy-momentum, generalized-alpha-ggl or landing";
    let refusal = |what: String, help: String| {
        InputError::new(Code::UNSUPPORTED, "scheme.name", format!("{scheme} {what}"), help)
    };
    let refuse = |what: String, help: String| Err(refusal(what, help));
    if let Some(body) = scene.bodies().iter().find(|body| matches!(body.motion, Motion::Prescribed { .. })) {
        let what = format!("moves free bodies among fixed ones, and \"{}\" is moved as told", body.name);
        return refuse(what, OTHERS.into());
    }
    for joint in scene.joints() {
        if joint.play.is_some() || joint.backlash.is_some() {
            let what = format!("knows no play: joint \"{}\" is a {}", joint.name, joint.kind.name());
            return refuse(what, format!("{OTHERS}, or a joint without play"));
        }
        if joint.rows.iter().any(|row| matches!(row.law, RowLaw::Rate(_))) {
            let what = format!("knows motors that push, and joint \"{}\" is driven at a given rate", joint.name);
            return refuse(what, format!("{OTHERS}, or drive the joint with a force"));
        }
    }
    check_resistance(scene, scheme, false)?;
    if scene.len() > MOST {
        let what = format!("is for small systems: {} bodies, {MOST} are the limit", scene.len());
        return refuse(what, OTHERS.into());
    }
    let found = scene.lasting_contacts().map_err(|pair| {
        let [a, b] = pair.map(|i| &scene.bodies()[i]);
        let what = format!(
            "needs gaps that are smooth functions: corners, balls and capsules before planes, balls and balls; \"{}\" is a {} and \
             \"{}\" a {}",
            a.name,
            a.shape.name(),
            b.name,
            b.shape.name()
        );
        refusal(what, format!("{OTHERS}; or no_contact for this pair if it never meets"))
    })?;
    let mut contacts = Vec::with_capacity(found.len());
    for contact in found {
        let law = scene.law_between(contact.bodies, contact.id);
        contacts.push(BodyContact {
            id: contact.id as usize,
            bodies: contact.bodies,
            touching: Touching::Shapes(contact),
            restitution: law.restitution,
            friction: law.friction,
        });
    }
    for (j, joint) in scene.joints().iter().enumerate() {
        let first = scene.first_joint_contact() + ((j as u64) << 16);
        for (k, stop) in joint.stops.iter().enumerate() {
            contacts.push(BodyContact {
                id: (first + k as u64) as usize,
                bodies: joint.bodies,
                touching: Touching::Stop(stop.clone()),
                restitution: joint.restitution,
                friction: 0.0,
            });
        }
    }
    if contacts.len() > MOST {
        let what = format!("is for small systems: {} contacts may close, {MOST} are the limit", contacts.len());
        return refuse(what, OTHERS.into());
    }
    Ok(contacts)
}
