import { type ReactNode, useSyncExternalStore } from "react";

export interface Shown {
  id: string;
  element: Element;
  side: "top" | "bottom";
  content: ReactNode;
}

const OPEN = 250; // ms of resting on something before it explains itself
const CLOSE = 120; // ms in which the pointer may go over to the tooltip itself

let shown: Shown | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function change(next: Shown | null): void {
  clearTimeout(timer);
  if (next === shown) return;
  shown?.element.removeAttribute("aria-describedby");
  shown = next;
  shown?.element.setAttribute("aria-describedby", shown.id);
  for (const listener of listeners) listener();
}

export function openSoon(next: () => Shown, at = OPEN): void {
  clearTimeout(timer);
  timer = setTimeout(() => change(next()), at);
}

export function closeSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => change(null), CLOSE);
}

export function hold(): void {
  clearTimeout(timer);
}

export function close(): void {
  change(null);
}

/** What it explains is gone. */
export function closeOf(id: string): void {
  if (shown?.id === id) change(null);
}

export function useShownTooltip(): Shown | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}
