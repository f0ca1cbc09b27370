import { useRef } from "react";
import { useLatest } from "@/lib/use-latest";

/**
 * Calls `onLeave` when a field of a form has been left. A field that is left by a click is left when the button of the
 * mouse is up again: what is then said about it must not move what was clicked away from below the pointer.
 */
export function useLeaving(onLeave: () => void) {
  const latest = useLatest(onLeave);
  const pressed = useRef(false);
  const left = useRef(false);
  const leave = () => {
    if (left.current) latest.current();
    left.current = false;
  };
  const onPointerDownCapture = () => {
    pressed.current = true;
    const released = () => {
      for (const name of ENDS) window.removeEventListener(name, released);
      pressed.current = false;
      setTimeout(leave); // after the click itself
    };
    for (const name of ENDS) window.addEventListener(name, released);
  };
  const onBlur = () => {
    left.current = true;
    if (!pressed.current) leave();
  };
  return { onPointerDownCapture, onBlur };
}

const ENDS = ["pointerup", "pointercancel"];
