// What a first visit to the jobs page loads, compressed, from the last build: the limit is 250 KB of JavaScript.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const LIMIT = 250_000;
const PAGE = "src/features/jobs/jobs-page.tsx";
const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));

function follow(key, seen = new Set()) {
  if (seen.has(key) || !manifest[key]) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) follow(next, seen);
  return seen;
}

const size = (file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;
const first = new Set([...follow("index.html"), ...follow(PAGE)].map((key) => manifest[key].file));
let total = 0;
for (const file of first) {
  total += size(file);
  console.log(`${String(size(file)).padStart(8)}  ${file}`);
}
console.log(`${String(total).padStart(8)}  JavaScript of the jobs page, of ${LIMIT}`);
for (const { file } of Object.values(manifest)) {
  if (file.endsWith(".js") && !first.has(file) && size(file) > 20_000)
    console.log(`${String(size(file)).padStart(8)}  ${file}, later`);
}
if (total > LIMIT) process.exit(1);
