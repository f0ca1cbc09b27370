import { useRef } from "react";
import { useHotkeys } from "./hotkeys";

interface RowFocus {
  /** Names it in the list of shortcuts: "Alerts". */
  group: string;
  count: number;
  /** What more keys do with the row that has the focus. */
  keys?: { keys: string; label: string; run: (at: number) => void }[];
}

/** `j` and `k` go through the rows of a list, whose `ref` this gives; a row has `data-row` and can have the focus. */
export function useRowFocus<T extends HTMLElement>({ group, count, keys = [] }: RowFocus) {
  const list = useRef<T>(null);
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const at = () => rows().findIndex((row) => row.contains(document.activeElement));
  const go = (step: number) => {
    const next = Math.min(Math.max(at() + step, 0), count - 1);
    const row = rows()[next];
    row?.focus();
    row?.scrollIntoView({ block: "nearest" });
  };
  useHotkeys(
    count === 0
      ? []
      : [
          { keys: "j", label: "Next", group, run: () => go(1) },
          { keys: "k", label: "Previous", group, run: () => go(-1) },
          ...keys.map(({ run, ...key }) => ({
            ...key,
            group,
            run: () => {
              const found = at();
              if (found >= 0) run(found);
            },
          })),
        ],
  );
  return list;
}
