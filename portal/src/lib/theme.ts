import { useSyncExternalStore } from "react";
import { remember, remembered } from "./storage";

export type Theme = "light" | "dark" | "system";

const listeners = new Set<() => void>();

export function theme(): Theme {
  const found = remembered("theme");
  return found === "light" || found === "dark" ? found : "system";
}

export function setTheme(next: Theme): void {
  remember("theme", next === "system" ? null : next);
  apply();
}

/** Kept in step with public/theme.js, which does the same before the first paint. */
function apply(): void {
  const chosen = theme();
  const dark = chosen === "dark" || (chosen === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
  for (const listener of listeners) listener();
}

/** Follows the system, and other tabs. */
export function watchTheme(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  window.addEventListener("storage", (event) => {
    if (event.key === "horae.theme") apply();
  });
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, theme);
}
