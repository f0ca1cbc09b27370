import type { FieldError } from "@/api/errors";
import type { Rule } from "@/api/rule";
import { RULES } from "@/api/rules";
import { record } from "./read";

/** What the description of the API says is wrong with a definition, by field and in the server's words. */
export function violations(definition: unknown): FieldError[] {
  return wrongIn(definition, { ref: "JobBody" }, "");
}

function wrongIn(value: unknown, rule: Rule, field: string): FieldError[] {
  if (value === undefined || value === null) return []; // missing values are checked elsewhere
  const meant = chosen(rule, value);
  if (!meant) return [];
  switch (meant.type) {
    case "number":
    case "integer":
      return said(field, wrongNumber(value, meant));
    case "string":
      return said(field, wrongText(value, meant));
    case "array":
      return wrongList(value, meant, field);
    case "object":
      return wrongObject(value, meant, field);
    default:
      return [];
  }
}

const said = (field: string, message: string | undefined): FieldError[] => (message ? [{ field, message }] : []);

/** The rule that a value is to keep; undefined where several might be meant, which the server decides. */
function chosen(given: Rule, value: unknown): Rule | undefined {
  const rule = given.ref ? RULES[given.ref] : given;
  if (!rule?.choices) return rule;
  const choices = rule.choices.flatMap((choice) => chosen(choice, value) ?? []);
  if (choices.length === 1) return choices[0];
  const kind = record(value).kind;
  if (kind) return choices.find((choice) => choice.properties?.kind?.const === kind);
  const type = Array.isArray(value) ? "array" : typeof value;
  return choices.find((choice) => choice.type === type || (choice.type === "integer" && type === "number"));
}

function wrongNumber(value: unknown, rule: Rule): string | undefined {
  const kind = rule.type === "integer" ? "integer" : "number";
  if (typeof value !== "number" || (kind === "integer" && !Number.isInteger(value))) return `should be a valid ${kind}`;
  return outside(value, rule.minimum, rule.maximum, rule.exclusiveMinimum);
}

function outside(value: number, least?: number, most?: number, above?: number): string | undefined {
  if (least !== undefined && value < least) return `should be greater than or equal to ${least}`;
  if (above !== undefined && value <= above) return `should be greater than ${above}`;
  return most !== undefined && value > most ? `should be less than or equal to ${most}` : undefined;
}

function wrongText(value: unknown, { minLength = 0, maxLength, pattern, example }: Rule): string | undefined {
  if (typeof value !== "string") return "should be a valid string";
  const length = [...value].length;
  if (length < minLength) return `should have at least ${counted(minLength, "character")}`;
  if (maxLength !== undefined && length > maxLength) return `should have at most ${counted(maxLength, "character")}`;
  if (!pattern || new RegExp(pattern, "u").test(value)) return undefined;
  return example ? `must be a number or a text such as "${example}"` : `should match pattern '${pattern}'`;
}

function wrongList(value: unknown, { minItems = 0, maxItems, items }: Rule, field: string): FieldError[] {
  if (!Array.isArray(value)) return said(field, "must be a list");
  if (value.length < minItems) return said(field, `should have at least ${counted(minItems, "item")}`);
  if (maxItems !== undefined && value.length > maxItems)
    return said(field, `should have at most ${counted(maxItems, "item")}`);
  return items ? value.flatMap((item, index) => wrongIn(item, items, `${field}[${index}]`)) : [];
}

function wrongObject(value: unknown, { properties = {}, keys }: Rule, field: string): FieldError[] {
  if (typeof value !== "object" || Array.isArray(value)) return said(field, "must be an object");
  const within = (name: string) => (field === "" ? name : `${field}.${name}`);
  return Object.entries(record(value)).flatMap(([name, inner]) => [
    ...(keys ? said(within(name), wrongText(name, keys)) : []),
    ...wrongIn(inner, properties[name] ?? {}, within(name)),
  ]);
}

const counted = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
