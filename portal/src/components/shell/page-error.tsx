import { useEffect, useState } from "react";
import { useRouteError } from "react-router";
import { ErrorState } from "@/components/ui/error-state";
import { ChunkError } from "@/lib/chunk";
import { mayReload, reload, serverAnswers } from "./reloading";

const PAUSE = 1_500; // ms between two questions whether the server is back

/** Shown if a page crashes. */
export function PageError() {
  const error = useRouteError();
  return error instanceof ChunkError ? (
    <ChunkMissing error={error} />
  ) : (
    <ErrorState page error={error} onRetry={() => void reload()} />
  );
}

/**
 * A page that could not be fetched. The router does not try it again, so the whole portal is loaded once more; but only
 * when the server answers, since a reload before that would leave the browser's own error page in its place.
 */
function ChunkMissing({ error }: { error: ChunkError }) {
  const [answers, setAnswers] = useState<boolean | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let left = false;
    const ask = async () => {
      const found = await serverAnswers();
      if (left) return;
      if (found && mayReload()) location.reload();
      setAnswers(found);
      if (!found) timer = setTimeout(() => void ask(), PAUSE);
    };
    void ask();
    return () => {
      left = true;
      if (timer) clearTimeout(timer);
    };
  }, []);
  if (answers === null) return null; // for as long as one question takes
  return (
    <ErrorState
      page
      error={error}
      title="This page could not be loaded"
      advice={
        answers
          ? "Horae may have been upgraded while this tab was open. Reload to get the current version."
          : "The server is not responding. This page loads as soon as it is back."
      }
      retry="Reload"
      onRetry={() => void reload()}
    />
  );
}
