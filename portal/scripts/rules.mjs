// What the OpenAPI document says about the fields of a job that can be checked without asking: limits and patterns.
const ROOT = "JobBody";
const KEPT = ["minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "pattern", "minItems", "maxItems"];

export function rulesFile(document) {
  const schemas = document.components.schemas;
  const found = {};
  const visit = (name) => {
    if (name in found) return;
    found[name] = null; // its place, in the order of first use
    found[name] = rule(schemas[name], visit);
  };
  visit(ROOT);
  return [
    "// Generated from the OpenAPI document by `npm run types`. Do not edit.",
    'import type { Rule } from "./rule";',
    "",
    `export const RULES: Record<string, Rule> = ${JSON.stringify(found, null, 2)};`,
    "",
  ].join("\n");
}

function rule(schema, visit) {
  const kept = {};
  if (schema.$ref) {
    kept.ref = schema.$ref.split("/").pop();
    visit(kept.ref);
  }
  if (typeof schema.type === "string") kept.type = schema.type;
  if ("const" in schema) kept.const = schema.const;
  for (const name of KEPT) if (name in schema) kept[name] = schema[name];
  if (schema.examples && schema.pattern) kept.example = schema.examples[0];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) kept.choices = choices.filter(({ type }) => type !== "null").map((choice) => rule(choice, visit));
  if (schema.items) kept.items = rule(schema.items, visit);
  const keys = Object.keys(schema.patternProperties ?? {});
  if (keys.length > 0) kept.keys = { ...rule(schema.propertyNames ?? {}, visit), type: "string", pattern: keys[0] };
  if (schema.properties) {
    // The server is asked about the schedule with every key that is pressed.
    const own = Object.entries(schema.properties).filter(([name]) => name !== "schedule");
    kept.properties = Object.fromEntries(own.map(([name, property]) => [name, rule(property, visit)]));
  }
  return kept;
}
