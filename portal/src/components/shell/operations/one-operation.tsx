import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { OperationView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Progress } from "@/components/ui/progress";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import { confirm } from "@/lib/confirm";
import { count } from "@/lib/durations";
import { toastError } from "@/lib/toasts";
import { titled } from "@/lib/words";
import { useCan } from "@/session/use-can";

export function OneOperation({ operation }: { operation: OperationView }) {
  const { state, done, total } = operation;
  return (
    <li className="px-4 py-3 text-sm">
      <div className="flex items-center gap-2">
        <span className="font-medium">{titled(operation.kind)}</span>
        <StatusBadge status={state} />
        <span className="ml-auto text-xs text-muted">
          {count(done)} of {count(total)}
        </span>
      </div>
      {state === "running" ? (
        <div className="mt-2 flex items-center gap-2">
          <Progress value={total === 0 ? null : done / total} label={`Progress of the ${operation.kind}`} />
          <Cancel operation={operation} />
        </div>
      ) : null}
      <p className="mt-1 text-xs break-words text-muted">
        {operation.error ?? operation.reason ?? (operation.rate ? `${operation.rate}/s` : "")}
        {operation.error || operation.reason || operation.rate ? " · " : ""}
        by {operation.created_by.replace(/^(user|key):/, "")},{" "}
        <Time at={operation.finished_at ?? operation.created_at} />
      </p>
    </li>
  );
}

function Cancel({ operation }: { operation: OperationView }) {
  const can = useCan();
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => call("POST /operations/{id}/cancel", { path: { id: operation.id } }),
    onError: (error) => toastError(`Could not cancel the ${operation.kind}`, error),
    onSettled: () => client.invalidateQueries({ queryKey: ["operations"] }),
  });
  if (!can("operations:cancel")) return null;
  const ask = async () => {
    const sure = await confirm({
      title: `Cancel the ${operation.kind}?`,
      text: "Pending work is dropped and runs in progress are cancelled. What is already done stays done.",
      action: `Cancel the ${operation.kind}`,
      danger: true,
    });
    if (sure) cancel.mutate();
  };
  return (
    <Button size="sm" variant="ghost" busy={cancel.isPending} onClick={() => void ask()}>
      Cancel
    </Button>
  );
}
