import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { Batch, isLeaving, LIVE_NOUNS } from "./batch";
import { Connection, type LiveState } from "./connection";

const PATCH = 250; // ms between two looks at what came
const REREAD = 2_000; // ms at least between two readings of the lists
const POLL = 10_000; // ms between two polls while there is no connection

let state: LiveState = "connecting";
const listeners = new Set<() => void>();

function setState(next: LiveState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

/** Keeps the queries of this client true to what happens, until the returned function is called. */
export function goLive(client: QueryClient): () => void {
  let fresh = new Batch();
  let stale = new Batch();
  let reread: ReturnType<typeof setTimeout> | null = null;
  let patch: ReturnType<typeof setTimeout> | null = null;

  const read = () => {
    reread = null;
    const batch = stale;
    stale = new Batch();
    void client.invalidateQueries({ predicate: (query) => batch.concerns(query.queryKey) }, { cancelRefetch: false });
  };
  const flush = () => {
    patch = null;
    const batch = fresh;
    fresh = new Batch();
    batch.patch(client);
    reread ??= setTimeout(read, REREAD);
  };
  const connection = new Connection({
    onState: setState,
    onEvent: (event) => {
      fresh.add(event);
      stale.add(event);
      if (!fresh.empty) patch ??= setTimeout(flush, PATCH);
    },
  });
  const poll = setInterval(() => {
    if (state !== "polling" || document.visibilityState === "hidden") return;
    void client.invalidateQueries({
      predicate: ({ queryKey }) => LIVE_NOUNS.includes(String(queryKey[0])) && !isLeaving(queryKey),
    });
  }, POLL);
  connection.start();
  return () => {
    connection.stop();
    clearInterval(poll);
    if (patch) clearTimeout(patch);
    if (reread) clearTimeout(reread);
  };
}
