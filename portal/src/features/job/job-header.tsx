import { useQueryClient } from "@tanstack/react-query";
import { CopyPlus, EllipsisVertical, History, Pause, Pencil, Play, RotateCcw, StepForward, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import type { JobView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { PageHeader } from "@/components/ui/page-header";
import { StatusBadge } from "@/components/ui/status-badge";
import { Switch } from "@/components/ui/switch";
import { Time } from "@/components/ui/time";
import { useOpenAlerts } from "@/features/alerts/open-alerts";
import { useDeleteJob, useSwitchJob } from "@/features/jobs/job-verbs";
import { plural } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { BackfillDialog } from "./dialogs/backfill-dialog";
import { PauseDialog } from "./dialogs/pause-dialog";
import { RunDialog } from "./dialogs/run-dialog";
import { mayEdit } from "./may-edit";
import { useRetryLatest } from "./verbs";
import { zoneOf } from "./zone";

type Open = "run" | "pause" | "backfill" | null;

export function JobHeader({ job }: { job: JobView }) {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <PageHeader
        title={job.name}
        aside={<State job={job} />}
        description={<Description job={job} />}
        actions={<Actions job={job} onOpen={setOpen} />}
      />
      {open === "run" ? <RunDialog job={job} onClose={close} /> : null}
      {open === "pause" ? <PauseDialog job={job} onClose={close} /> : null}
      {open === "backfill" ? <BackfillDialog job={job} onClose={close} /> : null}
    </>
  );
}

function State({ job }: { job: JobView }) {
  const alerts = useOpenAlerts(job.id);
  return (
    <span className="flex flex-wrap items-center gap-2">
      <StatusBadge status={job.unreadable ? "unreadable" : job.status} />
      {job.last_status === "failed" ? (
        <Link to="?tab=runs&status=failed" className="rounded">
          <Badge tone="failed">last run failed</Badge>
        </Link>
      ) : null}
      {alerts.length > 0 ? (
        <Link to={`/alerts?job=${job.id}`} className="rounded">
          <Badge tone="failed">{plural(alerts.length, "alert")}</Badge>
        </Link>
      ) : null}
      {job.paused && job.paused_until ? (
        <span className="text-xs text-muted">
          until <Time at={job.paused_until} as="absolute" zone={zoneOf(job)} />
        </span>
      ) : null}
    </span>
  );
}

function Description({ job }: { job: JobView }) {
  if (!job.description && job.tags.length === 0) return null;
  return (
    <>
      {job.description ? <p className="max-w-2xl whitespace-pre-line break-words">{job.description}</p> : null}
      {job.tags.length > 0 ? (
        <p className="mt-0.5 flex flex-wrap gap-2">
          {job.tags.map((tag) => (
            <Link key={tag} to={`/jobs?tag=${encodeURIComponent(tag)}`} className="rounded text-xs hover:text-accent">
              #{tag}
            </Link>
          ))}
        </p>
      ) : null}
    </>
  );
}

function Actions({ job, onOpen }: { job: JobView; onOpen: (open: Open) => void }) {
  const can = useCan();
  const change = useSwitchJob();
  return (
    <>
      {mayEdit(can, job.target?.kind) ? (
        <span className="mr-1 flex items-center gap-2 text-sm text-soft">
          {job.enabled ? "Enabled" : "Disabled"}
          <Switch
            checked={job.enabled}
            label={`${job.name} is enabled`}
            onChecked={(on) => change(job, on ? "enable" : "disable")}
          />
        </span>
      ) : null}
      {can("jobs:pause") ? (
        job.paused ? (
          <Button onClick={() => change(job, "resume")}>
            <StepForward /> Resume
          </Button>
        ) : (
          <Button onClick={() => onOpen("pause")}>
            <Pause /> Pause
          </Button>
        )
      ) : null}
      {!job.unreadable && mayEdit(can, job.target?.kind) ? (
        <Button asChild>
          <Link to={`/jobs/${job.id}/edit`}>
            <Pencil /> Edit
          </Link>
        </Button>
      ) : null}
      {can("jobs:run") && !job.unreadable ? (
        <Button variant="primary" onClick={() => onOpen("run")}>
          <Play /> Run now
        </Button>
      ) : null}
      <More job={job} onOpen={onOpen} />
    </>
  );
}

function More({ job, onOpen }: { job: JobView; onOpen: (open: Open) => void }) {
  const can = useCan();
  const navigate = useNavigate();
  const remove = useDeleteJob();
  const retry = useRetryLatest();
  const client = useQueryClient();
  const erase = async () => {
    if (!(await remove(job))) return;
    await navigate("/jobs");
    client.removeQueries({ queryKey: ["jobs", "one", job.id] }); // by now nothing shows it
  };
  if (!can("jobs:run") && !mayEdit(can, job.target?.kind)) return null;
  const trigger = (
    <Button size="icon" aria-label="More">
      <EllipsisVertical />
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      {can("jobs:run") ? (
        <MenuItem onSelect={() => retry(job)}>
          <RotateCcw aria-hidden /> Retry the latest failed run
        </MenuItem>
      ) : null}
      {can("jobs:backfill") ? (
        <MenuItem onSelect={() => onOpen("backfill")}>
          <History aria-hidden /> Backfill
        </MenuItem>
      ) : null}
      {mayEdit(can, job.target?.kind) ? (
        <>
          {!job.unreadable ? (
            <MenuItem asChild>
              <Link to={`/jobs/new?from=${job.id}`}>
                <CopyPlus aria-hidden /> Duplicate
              </Link>
            </MenuItem>
          ) : null}
          <MenuLine />
          <MenuItem danger onSelect={() => void erase()}>
            <Trash2 aria-hidden /> Delete
          </MenuItem>
        </>
      ) : null}
    </Menu>
  );
}
