import { Slot } from "@radix-ui/react-slot";
import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useId } from "react";
import { close, closeOf, closeSoon, openSoon } from "@/lib/tooltips";

interface TooltipProps {
  content: ReactNode;
  /** A focusable element: a button, a link, or an element with tabIndex. */
  children: ReactNode;
  side?: "top" | "bottom";
}

/** Explains its only child on hover and focus. All share one layer: a table with hundreds of them stays fast. */
export function Tooltip({ content, children, side = "top" }: TooltipProps) {
  const id = useId();
  useEffect(() => () => closeOf(id), [id]);
  const show = (element: Element, at?: number) => openSoon(() => ({ id, element, side, content }), at);
  return (
    <Slot
      onPointerEnter={(event: PointerEvent) => {
        if (event.pointerType !== "touch") show(event.currentTarget);
      }}
      onPointerLeave={closeSoon}
      onPointerDown={close}
      onFocus={(event: FocusEvent) => {
        if (event.currentTarget.matches(":focus-visible")) show(event.currentTarget, 0);
      }}
      onBlur={closeSoon}
    >
      {children}
    </Slot>
  );
}
