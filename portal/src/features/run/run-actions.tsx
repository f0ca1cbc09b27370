import { Ban, Pencil, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { RunDetailView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { DiscardDialog } from "@/features/dead-letters/discard-dialog";
import { isLive, useCancelRun, useRetryRun } from "@/features/runs/run-verbs";
import { useCan } from "@/session/use-can";
import { RetryDialog } from "./retry-dialog";

/** What the user can do with this run. */
export function RunActions({ run }: { run: RunDetailView }) {
  const can = useCan();
  const cancel = useCancelRun();
  const retry = useRetryRun();
  const [open, setOpen] = useState<"retry" | "discard" | null>(null);
  const close = () => setOpen(null);
  if (isLive(run.status)) {
    const asked = run.cancel_requested_at !== null;
    return can("runs:cancel") ? (
      <Button variant="danger" disabled={asked} onClick={() => void cancel(run)}>
        <Ban /> {asked ? "Stopping" : "Cancel"}
      </Button>
    ) : null;
  }
  const dead = run.dead_since !== null;
  return (
    <>
      {can("jobs:run") ? (
        <>
          <Button onClick={() => setOpen("retry")}>
            <Pencil /> Retry with changed input
          </Button>
          <Button variant="primary" onClick={() => retry(run)}>
            <RotateCcw /> {dead ? "Redrive" : "Retry"}
          </Button>
        </>
      ) : null}
      {dead && can("dead_letters:resolve") ? (
        <Button onClick={() => setOpen("discard")}>
          <Trash2 /> Discard
        </Button>
      ) : null}
      {open === "retry" ? <RetryDialog run={run} onClose={close} /> : null}
      {open === "discard" ? <DiscardDialog chosen={{ ids: [run.id] }} count={1} onClose={close} /> : null}
    </>
  );
}
