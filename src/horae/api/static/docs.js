"use strict";
// Shows /openapi.json. Whatever comes from it is text, never markup.

const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};

const nameOf = (schema) => (schema.$ref ? schema.$ref.split("/").pop() : null);
const resolve = (spec, part) => {
  let found = part;
  while (found && found.$ref) found = found.$ref.split("/").slice(1).reduce((at, step) => (at || {})[step], spec);
  return found || {};
};

const typeOf = (schema) => {
  if (schema.$ref) return nameOf(schema);
  if (schema.anyOf || schema.oneOf) return (schema.anyOf || schema.oneOf).map(typeOf).join(" | ");
  if (schema.type === "array") return `${typeOf(schema.items || {})}[]`;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return schema.format ? `${schema.type} (${schema.format})` : schema.type || "any";
};

const rows = (heads, lines) =>
  make("table", {},
    make("tr", {}, ...heads.map((head) => make("th", {}, head))),
    ...lines.map((line) => make("tr", {}, ...line.map((cell) => make("td", {}, cell ?? "")))));

const code = (text) => make("code", {}, text);

const parameters = (spec, operation) => {
  if (!operation.parameters || !operation.parameters.length) return null;
  return make("section", {}, make("h3", {}, "Parameters"), rows(["name", "in", "type", ""],
    operation.parameters.map((part) => resolve(spec, part)).map((one) => [
      code(one.name + (one.required ? "" : "?")), one.in, typeOf(one.schema || {}),
      one.description || (one.schema || {}).description || "",
    ])));
};

const fields = (spec, schema) => {
  const model = resolve(spec, schema);
  if (!model.properties) return null;
  const needed = new Set(model.required || []);
  return rows(["field", "type", ""], Object.entries(model.properties).map(([name, field]) => [
    code(name + (needed.has(name) ? "" : "?")), typeOf(field), field.description || "",
  ]));
};

const body = (spec, title, content) => {
  const [media, described] = Object.entries(content || {})[0] || [];
  if (!described || !described.schema) return null;
  const example = described.example === undefined ? null
    : make("pre", {}, JSON.stringify(described.example, null, 2));
  return make("section", {}, make("h3", {}, `${title} · ${media} · ${typeOf(described.schema)}`),
    fields(spec, described.schema), example);
};

const refusals = (spec, answers) => answers.length
  ? make("section", {}, make("h3", {}, "Refusals · application/problem+json · Problem"), rows(["status", ""],
    answers.map(([status, answer]) => [code(status), resolve(spec, answer).description])))
  : null;

const route = (spec, path, method, operation) => {
  const words = (operation.description || operation.summary || "").split("\n")[0];
  const inside = make("div", { class: "inside" });
  const node = make("details", {},
    make("summary", {}, make("span", { class: `method ${method}` }, method.toUpperCase()), code(path),
      make("span", { class: "words" }, words)), inside);
  node.addEventListener("toggle", () => {
    if (inside.childNodes.length) return;
    inside.append(make("p", {}, operation.description || ""));
    const parts = [parameters(spec, operation)];
    if (operation.requestBody) parts.push(body(spec, "Body", operation.requestBody.content));
    const answers = Object.entries(operation.responses || {});
    for (const [status, answer] of answers.filter(([, one]) => !one.$ref)) {
      parts.push(body(spec, status, answer.content));
    }
    parts.push(refusals(spec, answers.filter(([, one]) => one.$ref)));
    inside.append(...parts.filter(Boolean));
  });
  node.dataset.text = `${method} ${path} ${words}`.toLowerCase();
  return node;
};

const show = (spec) => {
  document.getElementById("about").replaceChildren(
    `${spec.info.summary || ""} · version ${spec.info.version} · OpenAPI ${spec.openapi} · `,
    make("a", { href: "/openapi.json" }, "openapi.json"));
  const groups = new Map();
  for (const [path, methods] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = (operation.tags || ["other"])[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(route(spec, path, method, operation));
    }
  }
  for (const [tag, nodes] of groups) {
    const id = `tag-${tag.replace(/\W+/g, "-")}`;
    document.getElementById("tags").append(make("a", { href: `#${id}` }, tag));
    document.getElementById("routes").append(make("section", {}, make("h2", { id }, tag), ...nodes));
  }
};

document.getElementById("search").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase();
  for (const section of document.querySelectorAll("main > section")) {
    let any = false;
    for (const node of section.querySelectorAll("details")) {
      node.hidden = !node.dataset.text.includes(wanted);
      any = any || !node.hidden;
    }
    section.hidden = !any;
  }
});

fetch("/openapi.json")
  .then((answer) => answer.json())
  .then(show)
  .catch(() => { document.getElementById("about").textContent = "The description could not be read."; });
