import { useSyncExternalStore } from "react";

// Whether the tray is open: starting an operation opens it, from any page.
let open = false;
const listeners = new Set<() => void>();

export function setOperationsOpen(next: boolean): void {
  open = next;
  for (const listener of listeners) listener();
}

export function showOperations(): void {
  setOperationsOpen(true);
}

export function useOperationsOpen(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
}
