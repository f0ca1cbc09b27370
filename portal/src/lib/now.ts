import { useSyncExternalStore } from "react";

// One timer for all times on the page; a text re-renders only when it changes. Hidden pages have no timer.
let now = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;
const listeners = new Set<() => void>();

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function arrange(): void {
  const needed = listeners.size > 0 && document.visibilityState !== "hidden";
  if (needed && timer === null) {
    now = Date.now();
    timer = setInterval(tick, 1_000);
  } else if (!needed && timer !== null) {
    clearInterval(timer);
    timer = null;
  }
}

if (typeof document !== "undefined") {
  document.addEventListener("visibilitychange", () => {
    arrange();
    if (timer !== null) tick();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  arrange();
  return () => {
    listeners.delete(listener);
    arrange();
  };
}

/** What `read` makes of the present instant; renders again only when that changes. Return a string or a number. */
export function useFromNow<T extends string | number | boolean>(read: (now: number) => T): T {
  return useSyncExternalStore(subscribe, () => read(now));
}
