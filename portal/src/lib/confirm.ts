import { useSyncExternalStore } from "react";

export interface Question {
  title: string;
  /** What will happen, and whether it can be undone. */
  text: string;
  /** What the button says: a verb. */
  action: string;
  danger?: boolean;
  /** Must be typed before the button works: for what cannot be undone. */
  typed?: string;
}

interface Asked extends Question {
  answer: (yes: boolean) => void;
}

let asked: Asked | null = null;
const listeners = new Set<() => void>();

function change(next: Asked | null): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** Asks before something is done: `if (await confirm({ … })) …`. */
export function confirm(question: Question): Promise<boolean> {
  asked?.answer(false);
  return new Promise((resolve) => {
    change({
      ...question,
      answer: (yes) => {
        change(null);
        resolve(yes);
      },
    });
  });
}

export function useQuestion(): Asked | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
}
