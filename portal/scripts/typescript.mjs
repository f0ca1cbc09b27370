// OpenAPI 3.1 as TypeScript: an interface per schema, and a table of operations by "METHOD /path".
const METHODS = ["get", "post", "put", "patch", "delete"];
const PREFIX = "/api/v1";

export function schemaFile(document) {
  const schemas = document.components.schemas;
  const parts = ["// Generated from the OpenAPI document by `npm run types`. Do not edit.\n"];
  for (const name of Object.keys(schemas).sort()) parts.push(declaration(name, schemas[name]));
  parts.push(operations(document));
  return parts.join("\n");
}

function declaration(name, schema) {
  const own = identifier(name);
  const head = comment(schema.description, "");
  if (schema.type === "object" && schema.properties)
    return `${head}export interface ${own} ${object(schema, "", isAnswer(name))}\n`;
  return `${head}export type ${own} = ${type(schema, "")};\n`;
}

// What the server sends has all its fields, those with defaults too.
const isAnswer = (name) => /View_?$|Numbers$/.test(name);

function object(schema, indent, complete) {
  const required = new Set(schema.required ?? []);
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties).map(([name, property]) => {
    const sure = complete || required.has(name) || "const" in property;
    return `${comment(property.description, inner)}${inner}${key(name)}${sure ? "" : "?"}: ${type(property, inner)};`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function type(schema, indent) {
  if (schema === true || Object.keys(schema).length === 0) return "unknown";
  if (schema.$ref) return identifier(schema.$ref.split("/").pop());
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map((choice) => type(choice, indent)));
  if (schema.allOf) return schema.allOf.map((choice) => type(choice, indent)).join(" & ");
  if (Array.isArray(schema.type)) return union(schema.type.map((one) => type({ ...schema, type: one }, indent)));
  return plain(schema, indent);
}

function plain(schema, indent) {
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return list(schema, indent);
    case "object":
      return record(schema, indent);
    default:
      return "unknown";
  }
}

function list(schema, indent) {
  if (schema.prefixItems) return `[${schema.prefixItems.map((item) => type(item, indent)).join(", ")}]`;
  const item = type(schema.items ?? true, indent);
  return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
}

function record(schema, indent) {
  if (schema.properties) return object(schema, indent, false);
  const values =
    typeof schema.additionalProperties === "object" ? type(schema.additionalProperties, indent) : "unknown";
  return `Record<string, ${values}>`;
}

function operations(document) {
  const lines = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!path.startsWith(PREFIX)) continue;
    for (const method of METHODS)
      if (methods[method]) lines.push(operation(method, path.slice(PREFIX.length), methods[method]));
  }
  return `/** What each operation takes and answers, below ${PREFIX}. */\nexport interface Operations {\n${lines.join("\n")}\n}\n`;
}

function operation(method, path, described) {
  const named = (place) => (described.parameters ?? []).filter((one) => one.in === place);
  const fields = (list) =>
    list.length === 0
      ? "never"
      : `{ ${list.map((one) => `${key(one.name)}${one.required ? "" : "?"}: ${type(one.schema, "")}`).join("; ")} }`;
  return [
    `  "${method.toUpperCase()} ${path}": {`,
    `    path: ${fields(named("path"))};`,
    `    query: ${fields(named("query"))};`,
    `    body: ${body(described.requestBody)};`,
    `    answer: ${answer(described.responses)};`,
    "  };",
  ].join("\n");
}

function body(request) {
  const content = request && Object.values(request.content)[0];
  if (!content) return "never";
  return `${type(content.schema, "")}${request.required === false ? " | undefined" : ""}`;
}

function answer(responses) {
  const found = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, one]) => one.content?.["application/json"]?.schema)
    .filter(Boolean)
    .map((schema) => type(schema, ""));
  return union(found) || "void";
}

const union = (types) => [...new Set(types)].join(" | ");
// Listing_JobView_ is a JobViewListing.
const identifier = (name) => name.replace(/^Listing_(\w+)_$/, "$1Listing").replace(/\W/g, "_");
const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function comment(text, indent) {
  if (!text) return "";
  const lines = text.replaceAll("*/", "* /").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line.trim()}`).join("\n")}\n${indent} */\n`;
}
