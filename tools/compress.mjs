// Writes name.br and name.gz beside each text file of a folder that gains by it.
//   node compress.mjs FOLDER
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const TEXT = /^[^.].*\.(css|html|js|json|svg|txt|webmanifest)$/;
const SMALL = 1024; // bytes that fit into a packet anyway

const ways = [
  [".br", (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } })],
  [".gz", (body) => promisify(gzip)(body, { level: 9 })],
];

async function compress(path) {
  const body = await readFile(path);
  if (body.length < SMALL) return;
  await Promise.all(
    ways.map(async ([suffix, way]) => {
      const smaller = await way(body);
      if (smaller.length < body.length * 0.95) await writeFile(path + suffix, smaller);
    }),
  );
}

const folder = process.argv[2];
const names = await readdir(folder, { recursive: true });
await Promise.all(names.filter((name) => TEXT.test(name)).map((name) => compress(join(folder, name))));
