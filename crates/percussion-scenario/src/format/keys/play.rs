//! `[play]`: what the panel of `percussion play` offers.

use crate::format::record::record;
use percussion_model::Form;
use percussion_model::KeyDefault::Absent;

record! {
    /// `[play]`.
    struct PlaySpec as PLAY {
        parameters: Vec<String> = Form::list(&Form::Text), "", Absent("step, end, restitution, friction, gravity and the scheme's"), "keys of the scenario to change on the page, dotted as in --set";
    }
}
