import { useEffect, useRef } from "react";
import { useBlocker } from "react-router";
import { confirm } from "@/lib/confirm";

/** Asks before a page with unsaved changes is left. The returned function lets it go without asking. */
export function useLeaveGuard(dirty: boolean): () => void {
  const free = useRef(false);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && !free.current && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    void confirm({
      title: "Leave without saving?",
      text: "What you changed here is lost.",
      action: "Leave",
      danger: true,
    }).then((sure) => (sure ? blocker.proceed() : blocker.reset()));
  }, [blocker]);
  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent) => {
      if (!free.current) event.preventDefault();
    };
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [dirty]);
  return () => {
    free.current = true;
  };
}
