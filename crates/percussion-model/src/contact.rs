//! A contact of a linear model: a gap, and with friction its tangents and coefficient.
//!
//!   g = normal·q + w(t) ≥ 0,    u_T = (tangent_1·v, tangent_2·v),    ‖p_T‖ ≤ μ p_N

use crate::code::Code;
use crate::linear::{check_row, finite};
use crate::{InputError, Signal};

/// A unilateral contact g = normal·q + offset ≥ 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contact {
    /// The contact's column of G as (coordinate, entry).
    pub normal: Vec<(usize, f64)>,
    /// w(t), constant or a moving obstacle [m].
    pub offset: Signal,
    /// e ∈ [0, 1], Newton's coefficient of restitution.
    pub restitution: f64,
    /// Directions of sliding, none, one (plane) or two (space), as rows of velocities like the normal.
    pub tangents: Vec<Vec<(usize, f64)>>,
    /// μ ≥ 0, Coulomb's coefficient; 0 without tangents.
    pub friction: f64,
    /// What it is called; empty where it goes by its number.
    pub name: String,
    /// Whether its gap is an angle [rad], its impulse that of a moment [N·m·s]: for words alone.
    pub angular: bool,
}

/// Refuses what cannot be a contact; fields are named relative to it.
pub(crate) fn check_contact(contact: &Contact, n: usize) -> Result<(), InputError> {
    check_row(&contact.normal, n, "normal")?;
    if contact.normal.iter().all(|&(_, x)| x == 0.0) {
        let help = "give the gradient of the gap";
        return Err(InputError::new(Code::ZERO_NORMAL, "normal", "is zero", help));
    }
    finite(contact.offset.is_finite(), "offset")?;
    if contact.offset.jumps() {
        let help = "let it move by a ramp, a smooth step or a table without jumps";
        return Err(InputError::new(Code::BAD_SIGNAL, "offset", "the obstacle jumps from one place to another", help));
    }
    let e = contact.restitution;
    finite(e.is_finite(), "restitution")?;
    if !(0.0..=1.0).contains(&e) {
        let message = format!("restitution = {e} is outside [0, 1]");
        let help = "0 keeps nothing of the approach velocity, 1 all of it";
        return Err(InputError::new(Code::RESTITUTION, "restitution", message, help));
    }
    check_friction(contact, n)
}

fn check_friction(contact: &Contact, n: usize) -> Result<(), InputError> {
    let refuse = |field: &str, message: String, help: &str| {
        Err(InputError::new(Code::FRICTION, field.to_string(), message, help))
    };
    let mu = contact.friction;
    finite(mu.is_finite(), "friction")?;
    if mu < 0.0 {
        return refuse("friction", format!("friction = {mu} is negative"), "give a coefficient of 0 or more");
    }
    if mu > 0.0 && contact.tangents.is_empty() {
        let help = "give tangents = [[…]] in the plane or [[…], […]] in space";
        return refuse("friction", format!("friction = {mu} without tangents to slide along"), help);
    }
    if contact.tangents.len() > 2 {
        let message = format!("{} tangents", contact.tangents.len());
        return refuse("tangents", message, "a contact has one tangent in the plane, two in space");
    }
    for (k, tangent) in contact.tangents.iter().enumerate() {
        let field = format!("tangents[{k}]");
        check_row(tangent, n, &field)?;
        if tangent.iter().all(|&(_, x)| x == 0.0) {
            return refuse(&field, "is zero".into(), "give the velocities that slide along the contact");
        }
    }
    if let [a, b] = &contact.tangents[..]
        && dependent(a, b, n)
    {
        let help = "give two directions at right angles, or one";
        return refuse("tangents[1]", "is a multiple of the first tangent".into(), help);
    }
    Ok(())
}

/// Whether b is a multiple of a, to round-off.
fn dependent(a: &[(usize, f64)], b: &[(usize, f64)], n: usize) -> bool {
    let dense = |row: &[(usize, f64)]| {
        let mut x = vec![0.0; n];
        row.iter().for_each(|&(i, v)| x[i] += v);
        let length = percussion_matrix::vector::norm(&x);
        x.iter_mut().for_each(|x| *x /= length);
        x
    };
    let (a, b) = (dense(a), dense(b));
    let along = percussion_matrix::vector::dot(&a, &b);
    let rest: f64 = a.iter().zip(&b).map(|(a, b)| (b - along * a).powi(2)).sum();
    rest.sqrt() <= 1e-10
}
