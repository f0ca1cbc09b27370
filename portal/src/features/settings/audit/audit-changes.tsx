import { ArrowRight } from "lucide-react";
import type { ChangeView } from "@/api/schema";
import { DiffView } from "@/components/ui/diff-view";
import { stableJson } from "@/lib/diff";
import { inWords, kindOf, needsRoom } from "./changes";

/** What differed, field by field. */
export function AuditChanges({ changes }: { changes: ChangeView[] }) {
  if (changes.length === 0) return <p className="text-sm text-muted">No further details.</p>;
  return (
    <ul className="space-y-2">
      {changes.map((change) => (
        <li key={change.path} className="text-sm">
          <code className="font-mono text-xs text-muted">{change.path}</code>
          {needsRoom(change) ? (
            <DiffView before={text(change.old)} after={text(change.new)} context={2} />
          ) : (
            <OneLine change={change} />
          )}
        </li>
      ))}
    </ul>
  );
}

function OneLine({ change }: { change: ChangeView }) {
  const kind = kindOf(change);
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      {kind === "set" ? null : (
        <span className="rounded bg-failed-soft px-1.5 py-0.5 font-mono text-xs break-all text-failed-text">
          <span className="sr-only">was </span>
          {inWords(change.old)}
        </span>
      )}
      {kind === "changed" ? <ArrowRight aria-hidden className="size-3.5 text-muted" /> : null}
      {kind === "removed" ? null : (
        <span className="rounded bg-succeeded-soft px-1.5 py-0.5 font-mono text-xs break-all text-succeeded-text">
          <span className="sr-only">is </span>
          {inWords(change.new)}
        </span>
      )}
    </span>
  );
}

function text(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : stableJson(value);
}
