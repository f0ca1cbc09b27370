import { useCallback, useEffect, useRef, useState } from "react";
import { projectIn } from "./project-path";
import { currentSession, restore } from "./session";

const AGAIN = 5_000; // ms: a server that does not answer yet is asked again

/** Goes on with the session of an earlier visit, once. */
export function useRestore() {
  const [error, setError] = useState<unknown>(null);
  const begun = useRef(false);
  const retry = useCallback(() => {
    restore(projectIn(location.pathname)).then(
      () => setError(null),
      (reason: unknown) => {
        if (currentSession().state === "unknown") setError(reason);
      },
    );
  }, []);
  useEffect(() => {
    if (begun.current) return; // StrictMode mounts twice
    begun.current = true;
    retry();
  }, [retry]);
  useEffect(() => {
    if (!error) return;
    const timer = setTimeout(retry, AGAIN);
    return () => clearTimeout(timer);
  }, [error, retry]);
  return { error, retry };
}
