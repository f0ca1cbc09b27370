import { Check, CircleHelp, Info, type LucideIcon, OctagonX } from "lucide-react";
import type { EntryView, GateView } from "@/api/schema";
import { ErrorState } from "@/components/ui/error-state";
import { Panel } from "@/components/ui/panel";
import { SkeletonLines } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { duration } from "@/lib/durations";
import { clock } from "@/lib/times";
import { titled } from "@/lib/words";
import { useExplanation } from "./queries";

const STATES: Record<GateView["state"], { icon: LucideIcon; colour: string; word: string }> = {
  open: { icon: Check, colour: "text-succeeded", word: "open" },
  closed: { icon: OctagonX, colour: "text-failed", word: "in the way" },
  unknown: { icon: CircleHelp, colour: "text-paused", word: "not known" },
  info: { icon: Info, colour: "text-muted", word: "for information" },
};

/** Why it waits, runs, or ended as it did: every gate, and what happened in order. */
export function RunWhy({ id }: { id: string }) {
  const why = useExplanation(id);
  if (why.error && !why.data) return <ErrorState error={why.error} onRetry={() => void why.refetch()} />;
  if (!why.data) return <SkeletonLines />;
  return (
    <div className="space-y-4">
      <p className="text-sm font-medium">{why.data.summary}</p>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <Panel title="Gates">
          <Gates gates={why.data.gates} />
        </Panel>
        <Panel title="What happened">
          <ol className="space-y-2">
            {why.data.timeline.map((entry, index) => (
              <Entry key={`${entry.event} ${entry.at} ${index}`} entry={entry} />
            ))}
          </ol>
        </Panel>
      </div>
    </div>
  );
}

/** Gates as people read them; a job's explanation has the same. */
export function Gates({ gates }: { gates: GateView[] }) {
  if (gates.length === 0) return <p className="text-sm text-muted">None.</p>;
  return (
    <ul className="space-y-2.5">
      {gates.map((gate) => {
        const { icon: Icon, colour, word } = STATES[gate.state];
        return (
          <li key={gate.name} className="flex gap-2.5 text-sm">
            <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${colour}`} />
            <div className="min-w-0">
              <p className="break-words">
                <span className="font-medium">{titled(gate.name)}</span>
                <span className="sr-only"> ({word})</span>
                <span className="text-soft">: {gate.detail}</span>
              </p>
              {gate.unblock ? <p className="mt-0.5 break-words text-muted">To open it: {gate.unblock}</p> : null}
              {gate.until ? (
                <p className="mt-0.5 text-muted">
                  Opens by itself <Time at={gate.until} />
                </p>
              ) : null}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function Entry({ entry }: { entry: EntryView }) {
  return (
    <li className="flex gap-3 text-sm">
      <time dateTime={entry.at} className="shrink-0 font-mono text-xs leading-5 text-muted">
        {clock(entry.at)}
      </time>
      <div className="min-w-0">
        <p className="break-words">{entry.detail}</p>
        {entry.waited_ms ? (
          <p className="text-xs text-muted">
            after {duration(entry.waited_ms)}
            {entry.waited_for ? `, waiting for ${entry.waited_for}` : ""}
          </p>
        ) : null}
      </div>
    </li>
  );
}
