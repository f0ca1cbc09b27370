import { useLayoutEffect } from "react";

/** Keeps typed letters while the field they are for is being fetched, and keeps them from triggering shortcuts. */
export function TypedAhead({ onText }: { onText: (text: string) => void }) {
  useLayoutEffect(() => {
    let text = "";
    const keep = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return;
      event.preventDefault();
      event.stopPropagation();
      text += event.key;
      onText(text);
    };
    window.addEventListener("keydown", keep, true);
    return () => window.removeEventListener("keydown", keep, true);
  }, [onText]);
  return null;
}
