/** JSON values as YAML, for reading and for `horae apply`. */
export function toYaml(value: unknown): string {
  return `${block(value, 0)}\n`;
}

const PLAIN = /^[A-Za-z_/][\w ./@%+-]*$/;
const LENGTH = /^\d+[smhd]$/; // of time: no YAML takes that for a number
const WORDS = /^(true|false|null|yes|no|on|off|y|n|~)$/i;

function scalar(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value ?? null);
  const plain = PLAIN.test(value) && !WORDS.test(value) && !value.endsWith(" ");
  return plain || LENGTH.test(value) ? value : JSON.stringify(value);
}

function block(value: unknown, depth: number): string {
  const pad = "  ".repeat(depth);
  if (Array.isArray(value)) {
    return value.length === 0 ? "[]" : value.map((item) => `${pad}- ${inner(item, depth + 1).trimStart()}`).join("\n");
  }
  if (typeof value !== "object" || value === null) return scalar(value);
  const entries = Object.entries(value);
  return entries.length === 0
    ? "{}"
    : entries.map(([name, item]) => `${pad}${scalar(name)}:${after(item, depth)}`).join("\n");
}

function inner(value: unknown, depth: number): string {
  return typeof value === "string" && value.includes("\n") ? literal(value, depth) : block(value, depth);
}

function after(value: unknown, depth: number): string {
  const nested = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  return nested ? `\n${block(value, depth + 1)}` : ` ${inner(value, depth + 1)}`;
}

/** A text of several lines as it is; one that a block cannot hold stays in quotes. */
function literal(value: string, depth: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what a block cannot hold
  if (/^\s|[\u0000-\u0008\u000b-\u001f\u007f]/.test(value) || /\n\n$/.test(value)) return JSON.stringify(value);
  const pad = "  ".repeat(depth);
  const keep = value.endsWith("\n") ? "|" : "|-";
  const lines = value.replace(/\n$/, "").split("\n");
  return `${keep}\n${lines.map((line) => (line === "" ? "" : `${pad}${line}`)).join("\n")}`;
}
