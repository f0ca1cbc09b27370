import { expect, it } from "vitest";
import { fieldsOf, meant, shown } from "./json-schema";

const parameters = {
  type: "object",
  required: ["name", "count"],
  $defs: { Colour: { enum: ["red", "blue"], title: "Colour", type: "string" }, Point: { type: "object" } },
  properties: {
    name: { type: "string", title: "Name", description: "Whose." },
    count: { type: "integer", minimum: 1, maximum: 9 },
    share: { type: "number", default: 0.5 },
    loud: { type: "boolean", default: false },
    colour: { $ref: "#/$defs/Colour" },
    maybe: { anyOf: [{ type: "integer" }, { type: "null" }], default: null },
    day: { type: "string", format: "date" },
    where: { $ref: "#/$defs/Point" },
    either: { anyOf: [{ type: "integer" }, { type: "string" }] },
    anything: { title: "Anything", default: null },
    kind: { const: "a" },
  },
};

const fields = Object.fromEntries(fieldsOf(parameters).map((field) => [field.name, field]));

it("finds the control for each type", () => {
  const controls = Object.values(fields).map((field) => `${field.name} ${field.control}`);
  expect(controls).toEqual([
    "name text",
    "count integer",
    "share number",
    "loud boolean",
    "colour choice",
    "maybe integer",
    "day text",
    "where json",
    "either json",
    "anything json",
    "kind choice",
  ]);
});

it("says what is needed, what it is otherwise, and within which bounds", () => {
  expect(fields.name).toMatchObject({ required: true, label: "Name", hint: "Whose.", fallback: undefined });
  expect(fields.count).toMatchObject({ required: true, hint: "1 to 9", label: "count" });
  expect(fields.share).toMatchObject({ required: false, fallback: 0.5 });
  expect(fields.colour?.choices).toEqual(["red", "blue"]);
  expect(fields.maybe).toMatchObject({ nullable: true });
  expect(fields.day?.hint).toBe("date");
});

it("makes values of texts, and texts of values", () => {
  const { name, count, where } = fields;
  if (!name || !count || !where) throw new Error("no fields");
  expect([meant(name, "7"), meant(count, "7"), meant(where, '{"x": 1}'), meant(count, "")]).toEqual([
    "7",
    7,
    { x: 1 },
    undefined,
  ]);
  expect(meant(count, "seven")).toBe("seven");
  expect([shown(name, "7"), shown(count, 7), shown(where, { x: 1 }), shown(count, undefined)]).toEqual([
    "7",
    "7",
    '{"x":1}',
    "",
  ]);
});

it("bears schemas that lead in circles, and none at all", () => {
  const circle = { properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { $ref: "#/$defs/A" } } };
  expect(fieldsOf(circle)[0]?.control).toBe("json");
  expect(fieldsOf(undefined)).toEqual([]);
});

it("begins with what must be given", () => {
  const properties = { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } };
  expect(fieldsOf({ properties, required: ["c", "b"] }).map(({ name }) => name)).toEqual(["b", "c", "a"]);
});
