import type { JobBody } from "@/api/schema";
import type { Json } from "./read";
import { parsed } from "./target-code";

/** A target of a kind without a form: the server knows its fields, the portal only its JSON. */
export interface OtherDraft {
  json: string;
}

export function readOther(target: Json): OtherDraft {
  return { json: JSON.stringify(target, null, 2) };
}

export function writeOther(draft: OtherDraft): JobBody["target"] {
  return (parsed(draft.json) ?? {}) as JobBody["target"];
}
