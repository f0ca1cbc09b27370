import { ChevronRight, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import type { DeadGroupView, DeadLetterFilter } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Time } from "@/components/ui/time";
import { count } from "@/lib/durations";
import { useCan } from "@/session/use-can";
import { causeOf } from "./cause";
import { DiscardDialog } from "./discard-dialog";
import { RedriveDialog } from "./redrive-dialog";

interface GroupListProps {
  groups: DeadGroupView[];
  filter: DeadLetterFilter;
}

/** Failures by cause, the largest share first. */
export function GroupList({ groups, filter }: GroupListProps) {
  const sorted = [...groups].sort((a, b) => b.count - a.count || (a.last_at < b.last_at ? 1 : -1));
  return (
    <ul className="divide-y divide-line">
      {sorted.map((group) => (
        <Group key={group.fingerprint} group={group} filter={filter} />
      ))}
    </ul>
  );
}

function Group({ group, filter }: { group: DeadGroupView; filter: DeadLetterFilter }) {
  const [asked, setAsked] = useState<"redrive" | "discard" | null>(null);
  const [params] = useSearchParams();
  const can = useCan();
  const to = new URLSearchParams(params);
  to.delete("cursor");
  to.set("fingerprint", group.fingerprint);
  const about = {
    chosen: { filter: { ...filter, fingerprint: group.fingerprint } },
    count: group.count,
    onClose: () => setAsked(null),
  };
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3 hover:bg-sunken">
      <Badge tone="failed" className="mt-0.5 min-w-12 justify-center text-sm">
        {count(group.count)}
      </Badge>
      <div className="min-w-0 flex-1 basis-64">
        <Link
          to={`?${to.toString()}`}
          className="flex items-start gap-1 rounded font-medium hover:text-accent hover:underline"
        >
          <span className="line-clamp-2 min-w-0 break-words">{causeOf(group)}</span>
          <ChevronRight aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
        </Link>
        <p className="mt-1 text-xs text-muted">
          <Jobs jobs={group.jobs} />
          {codeOf(group)}
        </p>
        <p className="mt-0.5 text-xs text-muted">
          first <Time at={group.first_at} />, last <Time at={group.last_at} /> ·{" "}
          <Link to={`/runs/${group.last_run_id}`} className="rounded underline hover:text-accent">
            latest run
          </Link>
        </p>
      </div>
      {can("dead_letters:resolve") ? (
        <div className="flex gap-2">
          <Button size="sm" onClick={() => setAsked("redrive")}>
            <RotateCcw /> Redrive all
          </Button>
          <Button size="sm" variant="ghost" onClick={() => setAsked("discard")}>
            <Trash2 /> Discard
          </Button>
        </div>
      ) : null}
      {asked === "redrive" ? <RedriveDialog {...about} /> : null}
      {asked === "discard" ? <DiscardDialog {...about} /> : null}
    </li>
  );
}

function Jobs({ jobs }: { jobs: DeadGroupView["jobs"] }) {
  if (jobs[0] && jobs.length === 1) {
    return (
      <Link to={`/jobs/${jobs[0].id}`} className="rounded underline hover:text-accent">
        {jobs[0].name}
      </Link>
    );
  }
  const named = jobs.slice(0, 3).map((job) => `${job.name} (${count(job.count)})`);
  return <>{named.join(", ") + (jobs.length > 3 ? ` and ${jobs.length - 3} more` : "")}</>;
}

function codeOf({ exit_code, response_code }: DeadGroupView): string {
  if (exit_code !== null) return ` · exit code ${exit_code}`;
  return response_code === null ? "" : ` · HTTP ${response_code}`;
}
