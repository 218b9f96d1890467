//! The scheme `landing`: midpoint motion, contact at position level, a landing that costs no energy, then the impact law.
//!
//!   1.  M (v₁ − v_k) = h (F − C v − K q)_m + G p₁,   q_{k+1} = q_k + h (v_k + v₁)/2,   0 ≤ 2g_{k+1}/h ⟂ p₁ ≥ 0
//!   2.  v⁻ = v₁ − κ δ,   δ = M̂⁻¹G (p₁ − p₁°),   E(q_{k+1}, v⁻) = E(q_{k+1}, v₁) + D,   D = Σ p₁ g_k/h over what landed
//!   3.  v_{k+1} = v⁻ + M⁻¹G p₂,   0 ≤ U_{k+1} + ê U⁻ ⟂ p₂ ≥ 0 where g_{k+1} = 0,   ê = e closing, 1 opening
//!
//! so that g_{k+1} ≥ 0 and ΔE = W_ext + W_damp + W_friction + ½ Σ (1 − ê) U⁻p₂ for every step (`docs/book/landing.md` has the
//! proof). p₁° is the answer of step 1 with the contacts that were closed alone: what rests is not thrown up by what lands on it.

pub mod bodies;
pub mod body_joints;
pub mod body_position;
pub mod body_rows;
pub mod contact_problem;
pub mod contacts;
pub mod held;
pub mod inertia;
pub mod instant;
pub mod joint_touches;
pub mod lagrangian;
pub mod linear;
pub mod motion;
pub mod normals;
pub mod parameters;
pub mod part;
pub mod places;
pub mod rounds;
pub mod rows;
pub mod stepper;
