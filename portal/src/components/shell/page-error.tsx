import { useEffect } from "react";
import { useRouteError } from "react-router";
import { ErrorState } from "@/components/ui/error-state";

const RELOADED = "horae.reloaded";

/** A page that broke. One whose chunk is gone is of an older build: the new one is fetched. */
export function PageError() {
  const error = useRouteError();
  const gone = error instanceof Error && /dynamically imported module|importing a module/i.test(error.message);
  useEffect(() => {
    if (!gone) return;
    try {
      const before = Number(sessionStorage.getItem(RELOADED) ?? 0);
      if (Date.now() - before < 60_000) return;
      sessionStorage.setItem(RELOADED, String(Date.now()));
    } catch {
      return; // without a memory it could go on for ever
    }
    location.reload();
  }, [gone]);
  return <ErrorState error={error} onRetry={() => location.reload()} />;
}
