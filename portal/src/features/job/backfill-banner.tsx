import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "@/api/client";
import type { JobView, OperationView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Progress } from "@/components/ui/progress";
import { confirm } from "@/lib/confirm";
import { toastError } from "@/lib/toasts";
import { said } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { useBackfills, useOperation } from "./queries";

/** How far the backfills of the job are; each stays until it is dismissed, once it was seen at work. */
export function BackfillBanner({ job }: { job: JobView }) {
  const running = useBackfills(job.id);
  const [seen, setSeen] = useState<string[]>([]);
  const ids = running.data?.map((one) => one.id).join(" ") ?? "";
  useEffect(() => {
    const found = ids.split(" ").filter(Boolean);
    if (found.length > 0) setSeen((old) => [...new Set([...old, ...found])]);
  }, [ids]);
  return seen.map((id) => (
    <Backfill key={id} id={id} onDismiss={() => setSeen((old) => old.filter((one) => one !== id))} />
  ));
}

function Backfill({ id, onDismiss }: { id: string; onDismiss: () => void }) {
  const { data: operation } = useOperation(id);
  const client = useQueryClient();
  const can = useCan();
  const cancel = useMutation({
    mutationFn: () => call("POST /operations/{id}/cancel", { path: { id } }),
    onError: (error) => toastError("Could not cancel the backfill", error),
    onSettled: () => client.invalidateQueries({ queryKey: ["operations"] }),
  });
  const ask = async () => {
    const sure = await confirm({
      title: "Cancel the backfill?",
      text: "Nothing more is queued, and its runs in progress are cancelled.",
      action: "Cancel the backfill",
      danger: true,
    });
    if (sure) cancel.mutate();
  };
  if (!operation) return null;
  const goesOn = operation.state === "running";
  return (
    <section aria-label="Backfill" className="mb-4 rounded-lg border border-line bg-surface px-4 py-3">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2 text-sm">
        <span>
          <span className="font-medium">Backfill {goesOn ? "" : said(operation.state)}</span>{" "}
          <span className="text-muted">
            {operation.done} of {operation.total}
            {operation.error ? ` · ${operation.error}` : ""}
          </span>
        </span>
        {goesOn ? (
          can("operations:cancel") ? (
            <Button size="sm" variant="ghost" busy={cancel.isPending} onClick={() => void ask()}>
              Cancel
            </Button>
          ) : null
        ) : (
          <Button size="sm" variant="ghost" onClick={onDismiss}>
            Dismiss
          </Button>
        )}
      </div>
      <Progress value={fraction(operation)} label="Backfill" />
    </section>
  );
}

function fraction({ done, total }: OperationView): number | null {
  return total > 0 ? done / total : null;
}
