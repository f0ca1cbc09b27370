"use strict";
// Shows /openapi.json. Whatever comes from it is text, never markup.

// As in the portal: the theme that was chosen there, or else the system's.
const system = matchMedia("(prefers-color-scheme: dark)");
const dress = () => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("horae.theme");
  } catch {
    // storage may be forbidden
  }
  document.documentElement.classList.toggle("dark", chosen === "dark" || (chosen !== "light" && system.matches));
};
dress();
system.addEventListener("change", dress);
addEventListener("storage", dress);

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

const code = (text) => make("code", {}, text);

// Descriptions have paragraphs, lines that were broken for an editor, and names in backticks.
const paragraphs = (text) => (text || "").split(/\n\s*\n/).map((one) => one.replace(/\s+/g, " ").trim()).filter(Boolean);
const rich = (text) => text.split("`").map((part, index) => (index % 2 ? code(part) : part));

// What is wider than the page is scrolled, by the keyboard as well.
const scrolled = (label, node) => make("div", { class: "scrolls", role: "group", tabindex: "0", "aria-label": label }, node);

const rows = (label, heads, lines) =>
  scrolled(label, make("table", {},
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, ...lines.map((line) => make("tr", {}, ...line.map((cell) =>
      make("td", {}, ...(typeof cell === "string" ? rich(cell) : [cell]))))))));

const parameters = (spec, operation) => {
  if (!operation.parameters || !operation.parameters.length) return null;
  return make("section", {}, make("h3", {}, "Parameters"), rows(`Parameters of ${operation.operationId}`, ["name", "in", "type", "description"],
    operation.parameters.map((part) => resolve(spec, part)).map((one) => [
      code(one.name + (one.required ? "" : "?")), one.in, typeOf(one.schema || {}),
      one.description || (one.schema || {}).description || "",
    ])));
};

const fields = (spec, schema) => {
  const model = resolve(spec, schema);
  if (!model.properties) return null;
  const needed = new Set(model.required || []);
  return rows(`Fields of ${nameOf(schema) || "the body"}`, ["field", "type", "description"], Object.entries(model.properties).map(([name, field]) => [
    code(name + (needed.has(name) ? "" : "?")), typeOf(field), field.description || "",
  ]));
};

const body = (spec, title, content) => {
  const [media, described] = Object.entries(content || {})[0] || [];
  if (!described || !described.schema) return null;
  const example = described.example === undefined ? null
    : make("pre", { tabindex: "0", role: "group", "aria-label": `Example of ${typeOf(described.schema)}` }, JSON.stringify(described.example, null, 2));
  return make("section", {}, make("h3", {}, `${title} · ${media} · ${typeOf(described.schema)}`),
    fields(spec, described.schema), example);
};

const refusals = (spec, answers) => answers.length
  ? make("section", {}, make("h3", {}, "Refusals · application/problem+json · Problem"), rows("Refusals", ["status", "reason"],
    answers.map(([status, answer]) => [code(status), resolve(spec, answer).description])))
  : null;

const route = (spec, path, method, operation) => {
  const told = paragraphs(operation.description);
  const words = told[0] || "";
  const inside = make("div", { class: "inside" });
  const node = make("details", {},
    make("summary", {}, make("span", { class: `method ${method}` }, method.toUpperCase()), code(path),
      make("span", { class: "words" }, ...rich(words))), inside);
  node.addEventListener("toggle", () => {
    if (inside.childNodes.length) return;
    inside.append(...told.slice(1).map((one) => make("p", {}, ...rich(one))));
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
  let found = false;
  for (const section of document.querySelectorAll("#routes > section")) {
    let any = false;
    for (const node of section.querySelectorAll("details")) {
      node.hidden = !node.dataset.text.includes(wanted);
      any = any || !node.hidden;
    }
    section.hidden = !any;
    found = found || any;
  }
  document.getElementById("nothing").hidden = found;
});

fetch("/openapi.json")
  .then((answer) => answer.json())
  .then(show)
  .catch(() => { document.getElementById("about").textContent = "The description could not be read."; });
