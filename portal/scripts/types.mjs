// Writes src/api/schema.ts, rules.ts and kinds.ts from the OpenAPI document of the API in this tree; no server is needed.
//   node scripts/types.mjs            writes them
//   node scripts/types.mjs --check    fails if one is stale
//   node scripts/types.mjs --input openapi.json
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { kindsFile } from "./kinds.mjs";
import { rulesFile } from "./rules.mjs";
import { schemaFile } from "./typescript.mjs";

const portal = join(dirname(fileURLToPath(import.meta.url)), "..");
const PROGRAM = `
import json
from horae.api.app import build
from horae.api.context import ApiSettings
print(json.dumps(build(None, ApiSettings("k" * 32), None, None).openapi()))
`;

function document() {
  const given = process.argv.indexOf("--input");
  if (given > 0) return readFileSync(process.argv[given + 1], "utf8");
  const own = join(portal, "../.venv/bin/python");
  const python = process.env.HORAE_PYTHON ?? (existsSync(own) ? own : "python3");
  return execFileSync(python, ["-c", PROGRAM], { encoding: "utf8", maxBuffer: 64 << 20 });
}

const api = JSON.parse(document());
for (const [name, text] of [
  ["schema.ts", schemaFile(api)],
  ["rules.ts", rulesFile(api)],
  ["kinds.ts", kindsFile(api)],
]) {
  const target = join(portal, "src/api", name);
  if (!process.argv.includes("--check")) {
    writeFileSync(target, text);
  } else if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
    console.error(`portal/src/api/${name} is stale: run \`npm run types\` in portal/ and commit it`);
    process.exit(1);
  }
}
