import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { SseEvent } from "./sse";

type Item = { id: string } & Record<string, unknown>;

/** Which queries each kind of event concerns, by the first word of their keys. */
const CONCERNED: Record<string, string[]> = {
  run: ["runs", "jobs", "dead-letters", "queues", "overview", "operations"],
  job: ["jobs", "calendar", "overview"],
  worker: ["workers", "schedulers", "overview"],
};
const NOUNS: Record<string, string> = { run: "runs", worker: "workers" };
export const LIVE_NOUNS = [...new Set(Object.values(CONCERNED).flat())];
const MOST = 500; // of one kind between two flushes; beyond that only lists are refetched

const leaving = new Set<string>();

/** While `id` is being deleted, no event has it read again. Call the returned function if it stays. */
export function leave(id: string): () => void {
  leaving.add(id);
  return () => void leaving.delete(id);
}

/** Whether it is about something that is being deleted, or has been. */
export function isLeaving(key: QueryKey): boolean {
  return key[1] === "one" && leaving.has(String(key[2]));
}

/** What came since the last flush: of each thing only its last state. */
export class Batch {
  private readonly items = new Map<string, Map<string, Item>>();
  private readonly touched = new Map<string, Set<string>>();
  everything = false;

  get empty(): boolean {
    return !this.everything && this.touched.size === 0;
  }

  add(event: SseEvent): void {
    if (event.name === "reset" || event.name === "dropped") {
      this.everything = true;
      return;
    }
    if (!(event.name in CONCERNED)) return;
    const ids = this.touched.get(event.name) ?? new Set<string>();
    this.touched.set(event.name, ids);
    if (ids.size >= MOST) return;
    const item = JSON.parse(event.data) as Item;
    ids.add(item.id);
    if (typeof item.job_id === "string") ids.add(item.job_id);
    const kind = this.items.get(event.name) ?? new Map<string, Item>();
    this.items.set(event.name, kind.set(item.id, item));
  }

  /** Updates the cache immediately, without asking the server. */
  patch(client: QueryClient): void {
    for (const [kind, items] of this.items) {
      const noun = NOUNS[kind];
      if (!noun) continue;
      client.setQueriesData<unknown>({ queryKey: [noun, "list"], type: "active" }, (old: unknown) =>
        patched(old, items),
      );
      for (const [id, item] of items) {
        client.setQueryData([noun, "one", id], (old: unknown) => (old ? merged(old as Item, item) : undefined));
      }
    }
  }

  /** Whether a query shows something that may have changed. */
  concerns(key: QueryKey): boolean {
    const [noun, shape, id] = key;
    if (typeof noun !== "string" || isLeaving(key)) return false;
    if (this.everything) return LIVE_NOUNS.includes(noun);
    for (const [kind, ids] of this.touched) {
      if (!CONCERNED[kind]?.includes(noun)) continue;
      if (shape !== "one" || ids.size >= MOST || ids.has(String(id))) return true;
    }
    return false;
  }
}

/** A list or the pages of one, with items replaced; the same object if none is in it. */
export function patched(old: unknown, items: Map<string, Item>): unknown {
  if (typeof old !== "object" || old === null) return old;
  if ("pages" in old && Array.isArray(old.pages)) {
    const pages = old.pages.map((page) => patched(page, items));
    return pages.every((page, index) => page === (old.pages as unknown[])[index]) ? old : { ...old, pages };
  }
  if (!("items" in old) || !Array.isArray(old.items)) return old;
  const list = old.items as Item[];
  if (!list.some((item) => items.has(item.id))) return old;
  // What is not in it stays the same object: its row is not rendered again.
  return { ...old, items: list.map((item) => merged(item, items.get(item.id))) };
}

/** What came, without losing what it leaves out because it is long and we have already. */
function merged(old: Item, came: Item | undefined): Item {
  if (!came) return old;
  const missing = Array.isArray(came.truncated) ? (came.truncated as string[]) : [];
  if (missing.length === 0) return { ...old, ...came };
  const known = missing.filter((name) => old[name] !== null && old[name] !== undefined);
  const kept = Object.fromEntries(known.map((name) => [name, old[name]]));
  return { ...old, ...came, ...kept, truncated: missing.filter((name) => !known.includes(name)) };
}
