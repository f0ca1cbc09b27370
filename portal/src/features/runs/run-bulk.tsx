import { useQueryClient } from "@tanstack/react-query";
import { Ban, RotateCcw } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { BulkBar } from "@/components/ui/bulk-bar";
import { Button } from "@/components/ui/button";
import { confirm } from "@/lib/confirm";
import { inTurn } from "@/lib/in-turn";
import { toast, toastError } from "@/lib/toasts";
import { plural } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { isLive, type NamedRun } from "./run-verbs";

interface RunBulkProps {
  runs: NamedRun[];
  onClear: () => void;
}

interface Verb {
  word: string;
  done: (runs: string) => string;
  text: string;
  danger?: boolean;
  run: (run: NamedRun) => Promise<unknown>;
}

const CANCEL: Verb = {
  word: "Cancel",
  done: (runs) => `Cancelled ${runs}`,
  text: "Queued runs are dropped. Running ones are asked to stop, and killed if they don't.",
  danger: true,
  run: (run) => call("POST /runs/{id}/cancel", { path: { id: run.id } }),
};
const RETRY: Verb = {
  word: "Retry",
  done: (runs) => `Retrying ${runs}`,
  text: "Each is queued again as a new run, with its job's current definition.",
  run: (run) => call("POST /runs/{id}/retry", { path: { id: run.id } }),
};

/** Cancels those of the chosen runs that are live, retries those that have ended. */
export function RunBulk({ runs, onClear }: RunBulkProps) {
  const [busy, setBusy] = useState<string | null>(null);
  const client = useQueryClient();
  const can = useCan();
  const live = runs.filter((run) => isLive(run.status));
  const ended = runs.filter((run) => !isLive(run.status) && run.status !== "skipped");
  const carryOut = async ({ word, done, text, danger, run }: Verb, which: NamedRun[]) => {
    const action = `${word} ${plural(which.length, "run")}`;
    if (!(await confirm({ title: `${action}?`, text, action, danger }))) return;
    setBusy(word);
    const turns = await inTurn(which, run);
    setBusy(null);
    for (const noun of ["runs", "dead-letters", "overview"]) void client.invalidateQueries({ queryKey: [noun] });
    if (turns.failed.length > 0) toastError(`${word}: ${plural(turns.failed.length, "run")} refused`, turns.failed[0]);
    if (turns.done > 0) toast(done(plural(turns.done, "run")));
    if (turns.failed.length === 0) onClear();
  };
  return (
    <BulkBar count={runs.length} noun="run" onClear={onClear}>
      {can("runs:cancel") && live.length > 0 ? (
        <Button
          size="sm"
          variant="danger"
          busy={busy === "Cancel"}
          disabled={busy !== null}
          onClick={() => void carryOut(CANCEL, live)}
        >
          <Ban /> Cancel {live.length}
        </Button>
      ) : null}
      {can("jobs:run") && ended.length > 0 ? (
        <Button size="sm" busy={busy === "Retry"} disabled={busy !== null} onClick={() => void carryOut(RETRY, ended)}>
          <RotateCcw /> Retry {ended.length}
        </Button>
      ) : null}
    </BulkBar>
  );
}
