//! Joints between two bodies: one file per kind, and one line in the list below.
//!
//! Whatever the program wants to know of a kind is a method of `Connection` without default, so that a kind that leaves one out
//! does not compile.

mod backlash;
mod connection;
mod force_curve;
mod joint;
mod servo;

use crate::written::{JointValues, Value};
use crate::{InputError, Kind};
pub use backlash::Backlash;
pub use connection::{Anchor, Mark};
pub(crate) use connection::{Between, Connection, Facts, Fit, Held};
pub use force_curve::{Acts, CurveStep, ForceCurve};
pub use joint::{Joint, JointParts, JointRow, Motor, Play, RowLaw, Stop, Term};
pub use servo::Servo;

/// From the list: the files, the type [`JointKind`], and for every question the one place that hands it to the kind asked.
macro_rules! joints {
    (plain { $($Plain:ident($plain:ident),)+ } sized { $($Sized:ident($sized:ident),)+ }) => {
        $(mod $plain; use $plain::$Plain;)+
        $(mod $sized; pub use $sized::$Sized;)+

        /// What a joint leaves free.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum JointKind {
            $(#[doc = concat!("See `", stringify!($plain), ".rs`.")] $Plain,)+
            $(#[doc = concat!("See [`", stringify!($Sized), "`].")] $Sized($Sized),)+
        }

        $(impl From<$Sized> for JointKind {
            fn from(kind: $Sized) -> Self {
                Self::$Sized(kind)
            }
        })+

        impl JointKind {
            /// Words of the kinds, and the keys that each has beside those of all joints.
            pub const KINDS: &'static [Kind] = &[$($Plain::FACTS.kind,)+ $($Sized::FACTS.kind,)+];

            /// The words alone.
            pub const NAMES: &'static [&'static str] = &[$($Plain::FACTS.kind.name,)+ $($Sized::FACTS.kind.name,)+];

            /// The kind of that name from its keys; `None` for an unknown one.
            pub fn read<V: JointValues>(name: &str, values: &V) -> Option<Result<Self, V::Error>> {
                $(if name == $Plain::FACTS.kind.name {
                    return Some($Plain::read(values).map(|_| Self::$Plain));
                })+
                $(if name == $Sized::FACTS.kind.name {
                    return Some($Sized::read(values).map(Self::$Sized));
                })+
                None
            }

            fn facts(&self) -> &'static Facts {
                match self {
                    $(Self::$Plain => const { &$Plain::FACTS },)+
                    $(Self::$Sized(_) => const { &$Sized::FACTS },)+
                }
            }

            /// The keys of its own with which it is written.
            pub fn values(&self) -> Vec<(&'static str, Value)> {
                match self { $(Self::$Plain => $Plain.values(),)+ $(Self::$Sized(kind) => kind.values(),)+ }
            }

            fn check(&self, parts: &JointParts) -> Result<(), InputError> {
                match self { $(Self::$Plain => $Plain.check(parts),)+ $(Self::$Sized(kind) => kind.check(parts),)+ }
            }

            fn held(&self, between: &Between) -> Result<Held, InputError> {
                match self { $(Self::$Plain => $Plain.held(between),)+ $(Self::$Sized(kind) => kind.held(between),)+ }
            }

            /// The two joints it couples, where it couples joints and not bodies.
            pub fn coupled(&self) -> Option<[usize; 2]> {
                match self { $(Self::$Plain => $Plain.coupled(),)+ $(Self::$Sized(kind) => kind.coupled(),)+ }
            }
        }
    };
}

joints! {
    plain {
        Fixed(fixed),
        Revolute(revolute),
        Prismatic(prismatic),
        Cylindrical(cylindrical),
        Spherical(spherical),
        Distance(distance),
        Line(line),
        Curve(curve),
        Cam(cam),
    }
    // those with sizes of their own
    sized {
        Screw(screw),
        Gear(gear),
        Journal(journal),
        Slot(slot),
        Universal(universal),
        ConstantVelocity(constant_velocity),
    }
}

impl JointKind {
    /// The word in a scenario.
    pub fn name(&self) -> &'static str {
        self.facts().kind.name
    }

    /// Whether it lets bodies slide along its axis, which then lies in the plane of a planar scene; hinges turn about z there.
    pub fn slides(&self) -> bool {
        self.facts().slides
    }

    /// Whether it has play.
    pub fn has_play(&self) -> bool {
        self.facts().has_play
    }

    /// Whether its own angle means more than its place.
    pub(crate) fn counts_turns(&self) -> bool {
        self.facts().counts_turns
    }

    /// Whether it follows a curve through points.
    pub fn follows(&self) -> bool {
        matches!(self, Self::Curve | Self::Cam)
    }

    /// Where it stands.
    pub fn anchor(&self) -> Anchor {
        self.facts().anchor
    }

    /// How it is drawn.
    pub fn mark(&self) -> Mark {
        self.facts().mark
    }
}
