//! `percussion-bindgen FILE.wasm FOLDER`: the module for a browser, deflated, and the script that binds it.

use std::path::Path;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(from), Some(to)) = (words.next(), words.next()) else {
        return Err("give the compiled module and a folder".into());
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(&from).web(true)?.typescript(false).omit_default_module_path(true);
    let mut made = bindgen.generate_output()?;
    let folder = Path::new(&to);
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("percussion_web.js"), made.js())?;
    let module = made.wasm_mut().emit_wasm();
    let deflated = miniz_oxide::deflate::compress_to_vec(&module, 10);
    println!("{} bytes, {} deflated", module.len(), deflated.len());
    std::fs::write(folder.join("percussion_web.wasm.deflate"), deflated)?;
    Ok(())
}
