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
  /** Something that may be done as well, if it is ticked. */
  also?: { label: string; hint?: string };
}

/** What was answered: whether to do it, and whether `also`. */
export interface Answered {
  yes: boolean;
  also: boolean;
}

interface Asked extends Question {
  answer: (yes: boolean, also?: boolean) => void;
}

let asked: Asked | null = null;
const listeners = new Set<() => void>();

function change(next: Asked | null): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** Asks before something is done: `if (await confirm({ … })) …`. */
export async function confirm(question: Question): Promise<boolean> {
  return (await ask(question)).yes;
}

/** The same for a question with `also`. */
export function ask(question: Question): Promise<Answered> {
  asked?.answer(false);
  return new Promise((resolve) => {
    change({
      ...question,
      answer: (yes, also = false) => {
        change(null);
        resolve({ yes, also: yes && also });
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
