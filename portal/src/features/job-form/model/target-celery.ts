import type { CeleryTarget } from "@/api/schema";
import type { ArgumentsDraft } from "./arguments";
import { filled, fromPairs, type Json, list, number, type Pair, pairs, record, text, texts } from "./read";
import { parsed, stillThere } from "./target-code";

/** `arguments` and `json` are the keyword arguments. */
export interface CeleryDraft extends ArgumentsDraft {
  task: string;
  queue: string;
  /** Positional ones: a JSON list. */
  args: string;
  priority: string;
  headers: Pair[];
  track: boolean;
  locked: string[];
}

export function readCelery(given: Json): CeleryDraft {
  const args = list(given.args);
  return {
    task: text(given.task),
    queue: text(given.queue),
    args: args.length > 0 ? JSON.stringify(args, null, 2) : "",
    arguments: record(given.kwargs),
    json: null,
    priority: text(given.priority),
    headers: pairs(given.headers),
    track: given.track !== false,
    locked: texts(given.locked),
  };
}

export function writeCelery(draft: CeleryDraft): CeleryTarget {
  const kwargs = draft.json === null ? draft.arguments : record(parsed(draft.json));
  return {
    kind: "celery",
    task: draft.task.trim(),
    ...filled({
      queue: draft.queue.trim(),
      args: list(parsed(draft.args)),
      kwargs,
      locked: stillThere(draft.locked, kwargs),
      priority: number(draft.priority),
      headers: fromPairs(draft.headers),
      track: draft.track ? undefined : false,
    }),
  } as unknown as CeleryTarget;
}
