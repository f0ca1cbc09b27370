import { EllipsisVertical, History, Pause, Pencil, Play, Power, PowerOff, StepForward, Trash2 } from "lucide-react";
import { Link } from "react-router";
import type { ListedJobView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { Switch } from "@/components/ui/switch";
import { Tooltip } from "@/components/ui/tooltip";
import { mayEdit } from "@/features/job/may-edit";
import { useCan } from "@/session/use-can";
import { useDeleteJob, useRunNow, useSwitchJob } from "./job-verbs";

export function EnabledSwitch({ job }: { job: ListedJobView }) {
  const can = useCan();
  const change = useSwitchJob();
  if (!mayEdit(can, job.target?.kind)) return <span className="text-soft">{job.enabled ? "yes" : "no"}</span>;
  return (
    <Switch
      checked={job.enabled}
      label={`${job.name} is enabled`}
      onChecked={(on) => change(job, on ? "enable" : "disable")}
    />
  );
}

/** What can be done with a job, at the end of its row. */
export function RowActions({ job }: { job: ListedJobView }) {
  const can = useCan();
  const change = useSwitchJob();
  const runNow = useRunNow();
  return (
    <div className="flex items-center justify-end gap-0.5">
      {can("jobs:run") && !job.unreadable ? (
        <Tooltip content="Run now">
          <Button variant="ghost" size="icon-sm" aria-label={`Run ${job.name} now`} onClick={() => runNow(job)}>
            <Play />
          </Button>
        </Tooltip>
      ) : null}
      {can("jobs:pause") ? (
        <Tooltip content={job.paused ? "Resume" : "Pause"}>
          <Button
            variant="ghost"
            size="icon-sm"
            className="hidden sm:inline-flex"
            aria-label={`${job.paused ? "Resume" : "Pause"} ${job.name}`}
            onClick={() => change(job, job.paused ? "resume" : "pause")}
          >
            {job.paused ? <StepForward /> : <Pause />}
          </Button>
        </Tooltip>
      ) : null}
      <RowMenu job={job} />
    </div>
  );
}

function RowMenu({ job }: { job: ListedJobView }) {
  const can = useCan();
  const remove = useDeleteJob();
  const change = useSwitchJob();
  const trigger = (
    <Button variant="ghost" size="icon-sm" aria-label={`More actions for ${job.name}`}>
      <EllipsisVertical />
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      <MenuItem asChild>
        <Link to={`/runs?job=${job.id}`}>
          <History aria-hidden /> View runs
        </Link>
      </MenuItem>
      {can("jobs:pause") ? (
        <MenuItem onSelect={() => change(job, job.paused ? "resume" : "pause")}>
          {job.paused ? <StepForward aria-hidden /> : <Pause aria-hidden />} {job.paused ? "Resume" : "Pause"}
        </MenuItem>
      ) : null}
      {mayEdit(can, job.target?.kind) ? (
        <>
          <MenuItem onSelect={() => change(job, job.enabled ? "disable" : "enable")}>
            {job.enabled ? <PowerOff aria-hidden /> : <Power aria-hidden />} {job.enabled ? "Disable" : "Enable"}
          </MenuItem>
          {!job.unreadable ? (
            <MenuItem asChild>
              <Link to={`/jobs/${job.id}/edit`}>
                <Pencil aria-hidden /> Edit
              </Link>
            </MenuItem>
          ) : null}
          <MenuLine />
          <MenuItem danger onSelect={() => void remove(job)}>
            <Trash2 aria-hidden /> Delete
          </MenuItem>
        </>
      ) : null}
    </Menu>
  );
}
