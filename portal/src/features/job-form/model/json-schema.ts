import { type Json, list, record, text } from "./read";

/** A field for one argument of a function. */
export interface ArgumentField {
  name: string;
  label: string;
  hint: string;
  required: boolean;
  control: "text" | "number" | "integer" | "boolean" | "choice" | "json";
  /** For `choice`: the values, as they are. */
  choices: unknown[];
  /** What the function takes if nothing is given; undefined where there is none. */
  fallback: unknown;
  nullable: boolean;
}

/** The fields of a function's parameters, those that must be given first; what no control fits is written as JSON. */
export function fieldsOf(parameters: unknown): ArgumentField[] {
  const root = record(parameters);
  const required = new Set(list(root.required).map(text));
  const fields = Object.entries(record(root.properties)).map(([name, given]) =>
    fieldOf(name, given, root, required.has(name)),
  );
  return fields.sort((one, other) => Number(other.required) - Number(one.required));
}

function fieldOf(name: string, given: unknown, root: Json, required: boolean): ArgumentField {
  const own = record(given);
  const { schema, nullable } = resolved(own, root);
  const choices = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : [];
  return {
    name,
    label: text(own.title ?? schema.title) || name,
    hint: [text(own.description ?? schema.description), bounds(schema)].filter(Boolean).join(" · "),
    required,
    control: choices.length > 0 ? "choice" : controlOf(schema),
    choices,
    fallback: own.default,
    nullable,
  };
}

function controlOf(schema: Json): ArgumentField["control"] {
  switch (schema.type) {
    case "string":
      return "text";
    case "integer":
    case "number":
    case "boolean":
      return schema.type;
    default:
      return "json";
  }
}

/** Follows references, and looks through "this or null". */
function resolved(given: Json, root: Json, depth = 0): { schema: Json; nullable: boolean } {
  if (depth > 8) return { schema: {}, nullable: false };
  const path = text(given.$ref).match(/^#\/(\$defs|definitions)\/(.+)$/);
  if (path) return resolved(record(record(root[path[1] ?? ""])[path[2] ?? ""]), root, depth + 1);
  const options = list(given.anyOf ?? given.oneOf ?? (list(given.allOf).length === 1 ? given.allOf : [])).map(record);
  const rest = options.filter((option) => option.type !== "null");
  const [only] = rest;
  if (only && rest.length === 1) {
    const inner = resolved(only, root, depth + 1);
    return { schema: inner.schema, nullable: inner.nullable || rest.length < options.length };
  }
  return { schema: options.length > 0 ? {} : given, nullable: rest.length < options.length };
}

function bounds(schema: Json): string {
  const words: string[] = [];
  if (schema.format) words.push(text(schema.format));
  if (schema.minimum !== undefined && schema.maximum !== undefined)
    words.push(`${text(schema.minimum)} to ${text(schema.maximum)}`);
  else if (schema.minimum !== undefined) words.push(`at least ${text(schema.minimum)}`);
  else if (schema.maximum !== undefined) words.push(`at most ${text(schema.maximum)}`);
  return words.join(", ");
}

/** How a value is shown in a field. */
export function shown(field: ArgumentField, value: unknown): string {
  if (value === undefined) return "";
  return field.control === "text" && typeof value === "string" ? value : JSON.stringify(value);
}

/** The value that a text means; undefined leaves the argument out. A text that is no JSON is itself. */
export function meant(field: ArgumentField, given: string): unknown {
  if (given === "") return undefined;
  if (field.control === "text") return given;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return given; // the server says what it should have been
  }
}
