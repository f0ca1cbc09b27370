import { useLayoutEffect } from "react";

/** While the field that they are for is fetched: keeps the letters that somebody types, and lets no shortcut have them. */
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
