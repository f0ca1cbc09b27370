import { useEffect, useRef } from "react";

export interface Hotkey {
  /** `?`, `/`, `mod+k` (Ctrl or ⌘), or keys one after the other: `g j`. */
  keys: string;
  label: string;
  group: string;
  run: () => void;
}

const registered = new Set<{ current: Hotkey[] }>();
let before: { key: string; at: number } | null = null;
const PAUSE = 1_200; // ms within which the second key of `g j` must follow

/** Shortcuts while the component is there; the later one wins where two have the same keys. `?` lists them all. */
export function useHotkeys(hotkeys: Hotkey[]): void {
  const latest = useRef(hotkeys);
  useEffect(() => {
    latest.current = hotkeys;
  });
  useEffect(() => {
    registered.add(latest);
    return () => {
      registered.delete(latest);
    };
  }, []);
}

export function allHotkeys(): Hotkey[] {
  return [...registered].flatMap((list) => list.current);
}

export function listen(): () => void {
  const handler = (event: KeyboardEvent) => {
    const found = match(event, allHotkeys());
    if (found) {
      event.preventDefault();
      found.run();
    }
  };
  window.addEventListener("keydown", handler);
  return () => window.removeEventListener("keydown", handler);
}

type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "target" | "defaultPrevented"> & {
  timeStamp: number;
};

export function match(event: Pressed, hotkeys: Hotkey[]): Hotkey | undefined {
  if (event.defaultPrevented || event.altKey) return undefined;
  if (event.ctrlKey || event.metaKey) return last(hotkeys, `mod+${event.key.toLowerCase()}`);
  if (typing(event.target) || inDialog(event.target)) return undefined;
  const sequence = before && event.timeStamp - before.at < PAUSE ? `${before.key} ${event.key}` : null;
  const found = (sequence && last(hotkeys, sequence)) || last(hotkeys, event.key);
  before = found ? null : { key: event.key, at: event.timeStamp };
  return found;
}

function last(hotkeys: Hotkey[], keys: string): Hotkey | undefined {
  return hotkeys.findLast((hotkey) => hotkey.keys === keys);
}

function typing(target: EventTarget | null): boolean {
  if (typeof HTMLElement === "undefined" || !(target instanceof HTMLElement)) return false;
  // The code editor is in a shadow root: its host is an editable element.
  return target.isContentEditable || target.closest("input, textarea, select, [data-editor]") !== null;
}

function inDialog(target: EventTarget | null): boolean {
  if (typeof HTMLElement === "undefined" || !(target instanceof HTMLElement)) return false;
  return target.closest("[role=dialog], [role=menu]") !== null;
}
