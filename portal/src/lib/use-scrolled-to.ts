import { type RefObject, useLayoutEffect, useRef } from "react";

/** For a row that scrolls sideways on a phone: brings what is marked as the present one into it, and leaves the page. */
export function useScrolledTo<T extends HTMLElement>(present: string, marked: string): RefObject<T | null> {
  const row = useRef<T>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is marked when `present` changes
  useLayoutEffect(() => {
    const one = row.current?.querySelector(marked);
    if (!row.current || !one) return;
    const outer = row.current.getBoundingClientRect();
    const inner = one.getBoundingClientRect();
    if (inner.left < outer.left) row.current.scrollLeft -= outer.left - inner.left;
    else if (inner.right > outer.right) row.current.scrollLeft += inner.right - outer.right;
  }, [present, marked]);
  return row;
}
