import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { close, closeSoon, hold, type Shown, useShownTooltip } from "@/lib/tooltips";

const GAP = 6;
const EDGE = 8;

/** Where all tooltips are shown. There is one, at the root. */
export function TooltipLayer() {
  const shown = useShownTooltip();
  useEffect(() => {
    if (!shown) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape") close();
    };
    window.addEventListener("keydown", onKey);
    window.addEventListener("scroll", close, { capture: true, passive: true });
    return () => {
      window.removeEventListener("keydown", onKey);
      window.removeEventListener("scroll", close, { capture: true });
    };
  }, [shown]);
  return shown ? createPortal(<Bubble key={shown.id} shown={shown} />, document.body) : null;
}

function Bubble({ shown }: { shown: Shown }) {
  const ref = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: 0, top: 0 });
  useLayoutEffect(() => {
    const own = ref.current?.getBoundingClientRect();
    if (own) setPlace(placed(shown, own.width, own.height));
  }, [shown]);
  return (
    <div
      ref={ref}
      id={shown.id}
      role="tooltip"
      onPointerEnter={hold}
      onPointerLeave={closeSoon}
      style={place}
      className="fixed z-[70] w-max max-w-sm rounded-md bg-text px-2.5 py-1.5 text-xs text-page shadow-md"
    >
      {shown.content}
    </div>
  );
}

function placed({ element, side }: Shown, width: number, height: number): { left: number; top: number } {
  const anchor = element.getBoundingClientRect();
  const above = anchor.top - GAP - height;
  const below = anchor.bottom + GAP;
  const fitsBelow = below + height < window.innerHeight - EDGE;
  const top = side === "top" ? (above > EDGE ? above : below) : fitsBelow ? below : above;
  const middle = anchor.left + anchor.width / 2 - width / 2;
  return { left: Math.max(EDGE, Math.min(middle, window.innerWidth - EDGE - width)), top };
}
