import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "@/api/client";
import { optimistic } from "@/api/patch";
import type { WorkerView } from "@/api/schema";
import { confirm } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";
import { plural } from "@/lib/words";

export function useDrain() {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: (worker: WorkerView) => call("POST /workers/{id}/drain", { path: { id: worker.id } }),
    onMutate: (worker) => optimistic(client, "workers", worker.id, { status: "draining" }),
    onError: (error, worker, undo) => {
      undo?.();
      toastError(`Could not drain ${worker.name}`, error);
    },
    onSuccess: (_, worker) => toast(`${worker.name} is draining`),
    onSettled: () => client.invalidateQueries({ queryKey: ["workers"] }),
  });
  return async (worker: WorkerView) => {
    const work = worker.busy > 0 ? `It ends the ${plural(worker.busy, "run")} it has` : "It has no runs in progress";
    const sure = await confirm({
      title: `Drain ${worker.name}?`,
      text: `${work}, and takes no new runs. To undo, restart the worker.`,
      action: "Drain",
      danger: true,
    });
    if (sure) mutation.mutate(worker);
  };
}
