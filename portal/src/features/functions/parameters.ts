type Json = Record<string, unknown>;

export interface Parameter {
  name: string;
  /** As people say it: `integer`, `list of string`, `one of "a", "b"`. */
  type: string;
  required: boolean;
  /** As JSON; null where there is none. */
  fallback: string | null;
  description: string;
}

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const record = (value: unknown): Json => (isRecord(value) ? value : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** What a function takes, of the JSON Schema of its arguments, in their order. */
export function parametersOf(schema: unknown): Parameter[] {
  const root = record(schema);
  const required = new Set(list(root.required));
  return Object.entries(record(root.properties)).map(([name, value]) => {
    const given = record(value);
    const { description } = given.description === undefined ? resolved(given, root) : given;
    return {
      name,
      type: typeOf(given, root),
      required: required.has(name),
      fallback: "default" in given ? JSON.stringify(given.default) : null,
      description: typeof description === "string" ? description : "",
    };
  });
}

/** Whether it takes what it does not name. */
export function takesMore(schema: unknown): boolean {
  const { additionalProperties } = record(schema);
  return additionalProperties === true || isRecord(additionalProperties);
}

const DEEPEST = 6;

function typeOf(given: Json, root: Json, depth = 0): string {
  if (depth > DEEPEST) return "any";
  const schema = resolved(given, root);
  const values = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : null;
  if (values) return `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
  const options = list(schema.anyOf ?? schema.oneOf);
  if (options.length > 0) return either(options.map((option) => typeOf(record(option), root, depth + 1)));
  if (Array.isArray(schema.type)) return either(schema.type.map(String));
  if (schema.type === "array") return `list of ${typeOf(record(schema.items), root, depth + 1)}`;
  const inner = schema.additionalProperties;
  if (schema.type === "object" && isRecord(inner)) return `object of ${typeOf(inner, root, depth + 1)}`;
  const name = typeof schema.type === "string" ? schema.type : "any";
  return typeof schema.format === "string" ? `${name} (${schema.format})` : name;
}

const either = (types: string[]) => [...new Set(types)].join(" or ");

function resolved(given: Json, root: Json): Json {
  let schema = given;
  for (let step = 0; step < DEEPEST; step += 1) {
    const path = /^#\/(\$defs|definitions)\/(.+)$/.exec(String(schema.$ref ?? ""));
    const only = list(schema.allOf);
    if (path) schema = record(record(root[path[1] ?? ""])[path[2] ?? ""]);
    else if (only.length === 1) schema = record(only[0]);
    else break;
  }
  return schema;
}
