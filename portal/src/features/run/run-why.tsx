import type { EntryView } from "@/api/schema";
import { Checks } from "@/components/ui/checks";
import { ErrorState } from "@/components/ui/error-state";
import { Panel } from "@/components/ui/panel";
import { ServerText } from "@/components/ui/server-text";
import { SkeletonLines } from "@/components/ui/skeleton";
import { duration } from "@/lib/durations";
import { momentOf } from "@/lib/times";
import { useExplanation } from "./queries";

/** Why it waits, runs, or ended as it did: every check, and what happened in order. */
export function RunWhy({ id }: { id: string }) {
  const why = useExplanation(id);
  if (why.error && !why.data) return <ErrorState error={why.error} onRetry={() => void why.refetch()} />;
  if (!why.data) return <SkeletonLines />;
  return (
    <div className="space-y-4">
      <p className="text-sm font-medium">
        <ServerText text={why.data.summary} own={id} />
      </p>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <Panel title="Checks">
          <Checks gates={why.data.gates} cause={why.data.cause} run={id} />
        </Panel>
        <Panel title="History">
          <ol className="space-y-2">
            {why.data.timeline.map((entry, index, all) => (
              <Entry
                key={`${entry.event} ${entry.at} ${index}`}
                entry={entry}
                run={id}
                time={momentOf(all[0]?.at ?? entry.at, all.at(-1)?.at ?? entry.at)(entry.at)}
              />
            ))}
          </ol>
        </Panel>
      </div>
    </div>
  );
}

function Entry({ entry, run, time }: { entry: EntryView; run: string; time: string }) {
  return (
    <li className="flex gap-3 text-sm">
      <time dateTime={entry.at} className="shrink-0 font-mono text-xs leading-5 text-muted">
        {time}
      </time>
      <div className="min-w-0">
        <p className="break-words">
          <ServerText text={entry.detail} own={run} />
        </p>
        {entry.waited_ms ? (
          <p className="text-xs text-muted">
            after {duration(entry.waited_ms)}
            {entry.waited_for && entry.event !== "now" ? `, waiting for ${entry.waited_for}` : ""}
          </p>
        ) : null}
      </div>
    </li>
  );
}
