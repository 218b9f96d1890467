// Bundles the viewer into crates/percussion-report/assets; `node build.mjs DIR` writes elsewhere, to compare.
import { build } from "esbuild";
import { deflateSync } from "fflate";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../crates/percussion-report/assets");
mkdirSync(out, { recursive: true });

const options = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022", "safari15"],
  charset: "ascii",
  legalComments: "none",
  // what binds the simulator to the page, built by web/build
  alias: { "percussion-engine": join(here, "../crates/percussion-report/assets/engine/percussion_web.js") },
  write: false,
};

// the licences of what is bundled travel with it
const licence = (name) => {
  const { version, license } = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
  return `${name} ${version}, ${license}`;
};
const fflate = `contains ${licence("fflate")}, (c) Arjun Barrett`;
const bundles = [
  { entry: "src/main.ts", file: "viewer.js", banner: `/* Percussion viewer, MIT OR Apache-2.0; contains ${licence("uplot")}, (c) Leon Sorokin; ${licence("fflate")}, (c) Arjun Barrett */` },
  { entry: "src/scene_space.ts", file: "viewer-space.js", deflated: true, banner: `/* Percussion viewer, MIT OR Apache-2.0; contains ${licence("three")}, (c) three.js authors */` },
  { entry: "src/play/main.ts", file: "play.js", banner: `/* Percussion playground, MIT OR Apache-2.0; ${fflate} */` },
  { entry: "src/play/worker.ts", file: "play-worker.js", banner: `/* Percussion playground, MIT OR Apache-2.0; ${fflate} */` },
  { entry: "src/play/style.css", file: "play.css", banner: "/* Percussion playground, MIT OR Apache-2.0 */" },
  { entry: "src/diagram/main.ts", file: "diagram.js", banner: `/* Percussion diagrams, MIT OR Apache-2.0; ${fflate} */` },
  { entry: "src/diagram/style.css", file: "diagram.css", banner: "/* Percussion diagrams, MIT OR Apache-2.0 */" },
  { entry: "src/style.css", file: "viewer.css", banner: `/* contains ${licence("uplot")}, (c) Leon Sorokin */` },
];
for (const { entry, file, banner, deflated } of bundles) {
  const kind = file.endsWith(".css") ? "css" : "js";
  const result = await build({ ...options, entryPoints: [entry], banner: { [kind]: banner } });
  const text = result.outputFiles[0].text;
  // the text stands inside a script or style element
  if ((kind === "js" ? /<\/script|<!--/i : /<\/style/i).test(text)) throw new Error(`${file} would end its element`);
  if (deflated) writeFileSync(join(out, `${file}.deflate`), deflateSync(Buffer.from(text), { level: 9 }));
  else writeFileSync(join(out, file), text);
}
