import { describe, expect, it } from "vitest";
import { parametersOf, takesMore } from "./parameters";

const one = (schema: unknown, root: Record<string, unknown> = {}) =>
  parametersOf({ ...root, properties: { x: schema } })[0];

describe("parametersOf", () => {
  it("shows what is required, and the defaults of the rest", () => {
    const found = parametersOf({
      required: ["id"],
      properties: { id: { type: "integer", description: "Whose." }, loud: { type: "boolean", default: false } },
    });
    expect(found).toEqual([
      { name: "id", type: "integer", required: true, fallback: null, description: "Whose." },
      { name: "loud", type: "boolean", required: false, fallback: "false", description: "" },
    ]);
  });

  it.each([
    [{ type: "string", format: "date" }, "string (date)"],
    [{ type: "array", items: { type: "string" } }, "list of string"],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "integer or null"],
    [{ type: ["string", "null"] }, "string or null"],
    [{ enum: ["a", 1] }, 'one of "a", 1'],
    [{ const: "a" }, 'one of "a"'],
    [{ type: "object", additionalProperties: { type: "number" } }, "object of number"],
    [{}, "any"],
  ])("says %j", (schema, words) => {
    expect(one(schema)?.type).toBe(words);
  });

  it("follows references, with their description", () => {
    const root = { $defs: { Mode: { enum: ["fast"], description: "How." } } };
    expect(one({ $ref: "#/$defs/Mode" }, root)).toMatchObject({ type: 'one of "fast"', description: "How." });
    expect(one({ allOf: [{ $ref: "#/$defs/Mode" }], default: "fast" }, root)).toMatchObject({
      type: 'one of "fast"',
      fallback: '"fast"',
    });
  });

  it("comes to an end with what refers to itself", () => {
    const root = { $defs: { Tree: { type: "array", items: { $ref: "#/$defs/Tree" } } } };
    expect(one({ $ref: "#/$defs/Tree" }, root)?.type).toMatch(/^list of list of/);
    expect(one({ $ref: "#/$defs/Loop" }, { $defs: { Loop: { $ref: "#/$defs/Loop" } } })?.type).toBe("any");
  });

  it("bears what is no schema", () => {
    expect([parametersOf(null), parametersOf({ properties: [] }), one("x")?.type]).toEqual([[], [], "any"]);
  });
});

it("says whether more is taken", () => {
  expect([
    takesMore({ additionalProperties: true }),
    takesMore({ additionalProperties: false }),
    takesMore({}),
  ]).toEqual([true, false, false]);
});
