import { Slot } from "@radix-ui/react-slot";
import { type ComponentProps, type ElementType, useEffect } from "react";

let locks = 0;

/** Stands in for react-remove-scroll, which Radix uses: the page behind a dialog does not scroll. It sets a property
 * where the original writes a <style> element. */
export function RemoveScroll({ as, children, ...rest }: ComponentProps<typeof Slot> & Radix) {
  useEffect(() => {
    locks += 1;
    const page = document.documentElement;
    const scrollbar = window.innerWidth - page.clientWidth;
    if (scrollbar > 0) document.body.style.paddingRight = `${scrollbar}px`; // nothing moves as it goes
    page.style.overflow = "hidden";
    return () => {
      locks -= 1;
      if (locks > 0) return;
      page.style.overflow = "";
      document.body.style.paddingRight = "";
    };
  }, []);
  const { allowPinchZoom: _, shards: __, enabled: ___, ...props } = rest;
  const Element = (as ?? Slot) as typeof Slot;
  return <Element {...props}>{children}</Element>;
}

interface Radix {
  as?: ElementType;
  allowPinchZoom?: boolean;
  shards?: unknown[];
  enabled?: boolean;
}
