//! The player as a browser's script sees it.

use crate::answer::Player;
use js_sys::Function;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The simulator behind a page.
#[wasm_bindgen(js_name = Player)]
#[derive(Default)]
pub struct Bound(Player);

#[wasm_bindgen(js_class = Player)]
impl Bound {
    /// Without files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// A file that a scenario may name.
    #[wasm_bindgen(js_name = addFile)]
    pub fn add_file(&mut self, name: &str, bytes: &[u8]) {
        self.0.add_file(name, bytes);
    }

    /// The answer to a question, both JSON; `tell` hears how much is done, from 0 to 1.
    pub fn answer(&self, question: &str, tell: &Function) -> String {
        self.0.answer(question, &mut |share| {
            // a page that does not listen is no reason to stop
            let _ = tell.call1(&JsValue::NULL, &JsValue::from_f64(share));
            true
        })
    }
}
