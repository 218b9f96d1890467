//! The playground: one page that holds the simulator, its viewer and a scenario, and asks nobody for anything.
//!
//! The simulator is `percussion-web`, built by `web/build` and kept deflated in `assets/engine`; scripts and styles are built from
//! `viewer/`. The page's policy lets these run, the simulator compile in a worker, and nothing be loaded.

use crate::base64::base64;
use crate::page::{STYLE, VIEWER, VIEWER_SPACE, VIEWER_STYLE, head};
use crate::payload::inert;
use crate::{sections, sha256};
use serde_json::{Value, json};

static ENGINE: &[u8] = include_bytes!("../assets/engine/percussion_web.wasm.deflate");
static PLAY: &str = include_str!("../assets/play.js");
static WORKER: &str = include_str!("../assets/play-worker.js");
static PLAY_STYLE: &str = include_str!("../assets/play.css");

/// What a playground begins with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Playground {
    /// What messages call the scenario, such as its file.
    pub name: String,
    /// The title of the page.
    pub title: String,
    /// The scenario.
    pub text: String,
    /// The files it names.
    pub files: Vec<(String, Vec<u8>)>,
    /// Another scheme than the scenario's; empty for none.
    pub scheme: String,
    /// A second scheme beside it; empty for none.
    pub against: String,
}

impl Playground {
    /// The page.
    pub fn render(&self) -> String {
        let scripts = [VIEWER_SPACE.as_str(), VIEWER, PLAY];
        let styles = [STYLE, VIEWER_STYLE, PLAY_STYLE];
        let mut page = head(&self.title, &policy(&scripts, &styles), &styles);
        page.push_str(
            "<body class=\"play\">\n<aside id=\"panel\" aria-label=\"Playground\"></aside>\n<div id=\"stage\">\n\
             <div id=\"report\"><p class=\"sub\">The simulator is starting …</p></div>\n",
        );
        page.push_str("<noscript><p>This page computes by a script; this browser runs none.</p></noscript>\n");
        page.push_str(sections::FOOTER);
        page.push_str("</div>\n");
        let files: serde_json::Map<String, Value> =
            self.files.iter().map(|(name, bytes)| (name.clone(), base64(bytes).into())).collect();
        let mut data = self.shared();
        data["files"] = files.into();
        let parts = [
            ("application/json", "play-data", inert(&data.to_string())),
            ("text/plain", "worker", WORKER.to_string()),
            ("text/plain", "engine", base64(ENGINE)),
        ];
        for (kind, id, text) in parts {
            page.push_str(&format!("<script type=\"{kind}\" id=\"{id}\">{text}</script>\n"));
        }
        scripts.iter().for_each(|script| page.push_str(&format!("<script>{script}</script>\n")));
        page.push_str("</body>\n</html>\n");
        page
    }
}

impl Playground {
    /// What a link or a saved page holds, as `viewer/src/play/share.ts` reads it.
    fn shared(&self) -> Value {
        let Self { name, text, scheme, against, .. } = self;
        json!({ "name": name, "text": text, "set": {}, "scheme": scheme, "against": against })
    }

    /// The fragment that opens this scenario, without its files, in any page of the kind.
    pub fn fragment(&self) -> String {
        let packed = miniz_oxide::deflate::compress_to_vec(self.shared().to_string().as_bytes(), 9);
        format!("#s={}", base64(&packed).replace('+', "-").replace('/', "_").trim_end_matches('='))
    }
}

/// As for a report; beside it a worker made of the page's own text may compile the simulator.
fn policy(scripts: &[&str], styles: &[&str]) -> String {
    let list = |texts: &[&str]| texts.iter().map(|text| sha256::source(text)).collect::<Vec<_>>().join(" ");
    format!(
        "default-src 'none'; script-src {} 'wasm-unsafe-eval'; worker-src blob:; style-src {}; img-src data:; \
         base-uri 'none'; form-action 'none'",
        list(scripts),
        list(styles)
    )
}
