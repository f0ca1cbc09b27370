import type { Json } from "./read";

/** Arguments of a function as they are written: by field, or all of them as JSON. */
export interface ArgumentsDraft {
  arguments: Json;
  /** While the arguments are written as JSON: the text as it stands. */
  json: string | null;
}

/** A run's input, to be changed. Anything but an object has no fields: it is JSON. */
export function draftOf(input: unknown): ArgumentsDraft {
  if (input === null || input === undefined) return { arguments: {}, json: null };
  const fields = isObject(input) && Object.keys(input).length > 0;
  return fields ? { arguments: input, json: null } : { arguments: {}, json: JSON.stringify(input, null, 2) };
}

export function asText(draft: ArgumentsDraft): string {
  if (draft.json !== null) return draft.json;
  return Object.keys(draft.arguments).length > 0 ? JSON.stringify(draft.arguments, null, 2) : "";
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
