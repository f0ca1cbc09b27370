import { CircleX, Info } from "lucide-react";
import type { RunDetailView } from "@/api/schema";
import { CopyButton } from "@/components/ui/copy-button";
import { Time } from "@/components/ui/time";

/** What went wrong, or that it was asked to stop. */
export function RunError({ run }: { run: RunDetailView }) {
  if (run.cancel_requested_at && run.status === "running") {
    return (
      <p role="status" className="flex items-center gap-2 rounded-lg bg-paused-soft px-4 py-3 text-sm text-paused-text">
        <Info aria-hidden className="size-4 shrink-0" />
        <span>
          It was asked to stop <Time at={run.cancel_requested_at} />, and is ended if it does not.
        </span>
      </p>
    );
  }
  if (!run.error) return null;
  const failed = run.status === "failed";
  return (
    <section
      aria-label="Error"
      className={`rounded-lg px-4 py-3 text-sm ${failed ? "bg-failed-soft text-failed-text" : "bg-sunken text-soft"}`}
    >
      <div className="flex items-start gap-2">
        <CircleX aria-hidden className="mt-0.5 size-4 shrink-0" />
        <p className="min-w-0 flex-1 break-words whitespace-pre-wrap">{run.error}</p>
        <span className="-my-1">
          <CopyButton text={run.traceback ?? run.error} label="Copy error" />
        </span>
      </div>
      {run.traceback ? <Traceback text={run.traceback} /> : null}
    </section>
  );
}

export function Traceback({ text }: { text: string }) {
  return (
    <details className="mt-2">
      <summary className="w-fit cursor-pointer rounded text-xs font-medium">Traceback</summary>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        className="mt-2 max-h-96 overflow-auto rounded bg-page p-3 font-mono text-xs text-text"
      >
        {text}
      </pre>
    </details>
  );
}
