import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { OperationView } from "@/api/schema";
import { showOperations } from "@/components/shell/operations/open";
import { toast } from "@/lib/toasts";

/** Starts an operation on dead letters; it continues in the background, and the tray shows its progress. */
export function useResolve(begin: () => Promise<OperationView>, done: (operation: OperationView) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: begin,
    onSuccess: (operation) => {
      done(operation);
      if (operation.total === 0) toast("Nothing left to do");
      else showOperations();
      for (const noun of ["operations", "dead-letters", "runs", "overview"]) {
        void client.invalidateQueries({ queryKey: [noun] });
      }
    },
  });
}
