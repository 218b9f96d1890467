// What is played in the browsers' tests: the scenes, their pages, and the program beside them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { PERCUSSION } = process.env;
export const folder = mkdtempSync(join(tmpdir(), "percussion-play-"));

/** Scenes: what is played, with which scheme, with which changes to keep it short, from when on round-off has grown [s]. */
export const SCENES = {
  ball: { scenario: "bouncing-ball" },
  pile: { scenario: "sphere-pile", end: 0.1, chaotic: 0.06 },
  // impacts of its play make 3e-11 of round-off 1.3e-10 by the end; the hash is compared to the end all the same
  crank: { scenario: "slider-crank", end: 0.006, chaotic: 0.003 },
  bar: { scenario: "elastic-bar" },
  "event-driven": { scenario: "bouncing-ball", scheme: "event-driven", end: 3 },
  ggl: { scenario: "pendulum", scheme: "generalized-alpha-ggl", end: 1 },
  formula: { text: FORMULA() },
  matrix: { text: MATRIX(), files: { "M.mtx": "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1.5\n", "load.csv": "t,f\n0,-9\n0.5,-20\n1,-9\n" } },
  mesh: { text: MESH(), files: { "wedge.obj": WEDGE() } },
};

function FORMULA() {
  return `format = 1\nname = "formula"\n[model]\nkind = "formula"\ncoordinates = ["x", "a"]\nkinetic = "0.5*x_dot^2 + 0.1*a_dot^2*exp(-x^2)"\npotential = "9.81*x + 0.3*cos(a)^2 + log(2 + tanh(a))"\nq0 = [1.0, 0.3]\nv0 = [0.0, 1.0]\n[[model.contact]]\ngap = "x - 0.1*sin(a)"\nrestitution = 0.7\n[scheme]\nname = "moreau-jean"\n[time]\nend = 1.0\nstep = 1e-3\n`;
}

/** A mass and a load that stand in files. */
function MATRIX() {
  return `format = 1\nname = "matrix"\n[model]\nkind = "linear"\nmass = { file = "M.mtx" }\nforce = [{ table = "load.csv" }]\nq0 = [0.5]\nv0 = [0.0]\n[[model.contact]]\nnormal = [1.0]\nrestitution = 0.6\n[scheme]\nname = "moreau-jean"\n[time]\nend = 1.0\nstep = 1e-3\n`;
}

/** A body whose shape stands in a file. */
function MESH() {
  return `format = 1\nname = "mesh"\n[model]\nkind = "bodies"\ngravity = [0.0, 0.0, -9.81]\n[[model.body]]\nname = "floor"\nfixed = true\nshape = { kind = "plane" }\n[[model.body]]\nname = "wedge"\nmass = 1.0\ninertia = [0.1, 0.1, 0.1]\nposition = [0.0, 0.0, 0.6]\nshape = { kind = "mesh", file = "wedge.obj" }\n[time]\nend = 0.5\nstep = 1e-3\n`;
}

function WEDGE() {
  return "v -0.3 -0.2 -0.1\nv 0.3 -0.2 -0.1\nv 0.3 0.2 -0.1\nv -0.3 0.2 -0.1\nv 0.0 0.0 0.3\nf 1 3 2\nf 1 4 3\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n";
}

/** The program with these words; its summary. */
export function run(words) {
  const out = join(folder, "run");
  try {
    return { ...JSON.parse(execFileSync(PERCUSSION, ["run", ...words, "--json", "--threads", "1", "--out", out], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })), out };
  } catch (error) {
    // a certificate that fails is no reason not to compare
    return { ...JSON.parse(error.stdout), out };
  }
}

export const words = ({ file, scheme }) => [file, ...(scheme ? ["--scheme", scheme] : [])];

export const gallery = (name) => readFileSync(new URL(`../../gallery/${name}/scenario.toml`, import.meta.url), "utf8");

/** Writes the page of a scene; one that is cut short from a text of its own. */
export function makePage(name, scene) {
  const page = join(folder, `${name}.html`);
  const text = scene.text ?? (scene.end && gallery(scene.scenario).replace(/^end = .*$/m, `end = ${scene.end.toFixed(3)}`));
  scene.file = text ? join(folder, `${name}.toml`) : scene.scenario;
  if (text) writeFileSync(scene.file, text);
  for (const [file, content] of Object.entries(scene.files ?? {})) writeFileSync(join(folder, file), content);
  execFileSync(PERCUSSION, ["play", scene.file, "--out", page], { stdio: "ignore" });
  return page;
}
