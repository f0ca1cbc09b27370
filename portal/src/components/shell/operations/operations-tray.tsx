import * as Radix from "@radix-ui/react-popover";
import { ListChecks } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Spinner } from "@/components/ui/spinner";
import { plural } from "@/lib/words";
import { OneOperation } from "./one-operation";
import { setOperationsOpen, useOperationsOpen } from "./open";
import { useOperations } from "./use-operations";

/** Redrives, discards and backfills under way: they continue across pages, and are visible from all of them. */
export function OperationsTray() {
  const operations = useOperations();
  const open = useOperationsOpen();
  if (operations.length === 0) return null;
  const running = operations.filter((one) => one.state === "running").length;
  const label = running > 0 ? `${plural(running, "operation")} in progress` : "Recent operations";
  return (
    <Radix.Root open={open} onOpenChange={setOperationsOpen}>
      <Radix.Trigger asChild>
        <Button variant="ghost" size={running > 0 ? "md" : "icon"} aria-label={label} className="px-2">
          {running > 0 ? <Spinner /> : <ListChecks />}
          {running > 0 ? running : null}
        </Button>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-label="Operations"
          onInteractOutside={(event) => {
            // The question whether to cancel one is asked by a dialog above it.
            if (document.querySelector('[role="dialog"][data-state="open"]:not([aria-label="Operations"])')) {
              event.preventDefault();
            }
          }}
          onOpenAutoFocus={(event) => event.preventDefault()}
          className="z-40 max-h-[70vh] w-88 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border border-line bg-surface shadow-lg"
        >
          <h2 className="border-b border-line px-4 py-2.5 text-sm font-semibold">Operations</h2>
          <ul className="divide-y divide-line">
            {operations.map((operation) => (
              <OneOperation key={operation.id} operation={operation} />
            ))}
          </ul>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
