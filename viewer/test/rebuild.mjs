// The bundle in the repository is what the sources give, byte by byte.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const kept = join(root, "../crates/percussion-report/assets");
const fresh = mkdtempSync(join(tmpdir(), "percussion-viewer-"));
execFileSync(process.execPath, [join(root, "build.mjs"), fresh], { stdio: "inherit" });
// folders hold what is not built, such as the letters of figures
const files = (folder) => readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => entry.name);
const names = new Set([...files(kept), ...files(fresh)]);
const differing = [...names].filter((name) => {
  try {
    return !readFileSync(join(kept, name)).equals(readFileSync(join(fresh, name)));
  } catch {
    return true;
  }
});
rmSync(fresh, { recursive: true });
if (differing.length) {
  console.error(`${differing.join(", ")}: not what viewer/ gives; run \`npm run build\` in viewer/ and commit the result`);
  process.exit(1);
}
console.log(`${[...names].join(", ")}: as built from viewer/`);
