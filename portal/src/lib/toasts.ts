import { useSyncExternalStore } from "react";
import { messageOf } from "@/api/errors";

export interface Toast {
  id: number;
  tone: "done" | "failed" | "info";
  text: string;
  detail?: string;
  action?: { label: string; run: () => void };
}

const MOST = 4;
let toasts: Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function change(next: Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Says what was done: `toast("Paused nightly-report", { undo: () => resume(job) })`. */
export function toast(
  text: string,
  options: { undo?: () => void; detail?: string; action?: Toast["action"] } = {},
): void {
  const action = options.undo ? { label: "Undo", run: options.undo } : options.action;
  add({ tone: "done", text, detail: options.detail, action });
}

/** Says that something did not work, and why. */
export function toastError(text: string, error: unknown): void {
  add({ tone: "failed", text, detail: messageOf(error) });
}

function add(given: Omit<Toast, "id">): void {
  last += 1;
  change([...toasts, { ...given, id: last }].slice(-MOST));
}

export function dismiss(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

export function useToasts(): Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
}
