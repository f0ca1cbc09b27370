import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Undo2 } from "lucide-react";
import { call } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { JobView, VersionView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { DiffView } from "@/components/ui/diff-view";
import { Panel } from "@/components/ui/panel";
import { Select } from "@/components/ui/select";
import { record } from "@/features/job-form/model/read";
import { confirm } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";
import { toYaml } from "@/lib/yaml";
import { useCan } from "@/session/use-can";
import { mayEdit } from "../may-edit";

interface ComparisonProps {
  job: JobView;
  versions: VersionView[];
  from: VersionView;
  to: VersionView;
  onPick: (change: { from?: string; version?: string }) => void;
}

/** What differs between two versions, and the way back to the later one. */
export function Comparison({ job, versions, from, to, onPick }: ComparisonProps) {
  const one = from.version === to.version;
  return (
    <Panel
      title={one ? `Version ${to.version}` : `Version ${from.version} → ${to.version}`}
      actions={<Back job={job} to={to} />}
    >
      <div className="mb-3 flex flex-wrap items-center gap-2 text-sm text-muted">
        <Pick label="Compare from" versions={versions} value={from} onValue={(value) => onPick({ from: value })} />
        <span aria-hidden>→</span>
        <Pick label="to" versions={versions} value={to} onValue={(value) => onPick({ version: value })} />
      </div>
      <DiffView before={one ? "" : toYaml(from.definition)} after={toYaml(to.definition)} />
    </Panel>
  );
}

function Back({ job, to }: { job: JobView; to: VersionView }) {
  const can = useCan();
  const rollBack = useRollback(job);
  if (to.version === job.version) {
    return (
      <Badge tone="accent" className="self-center">
        current
      </Badge>
    );
  }
  return mayEdit(can, job.target?.kind) && mayEdit(can, record(to.definition.target).kind) ? (
    <Button size="sm" onClick={() => void rollBack(to)}>
      <Undo2 /> Roll back to {to.version}
    </Button>
  ) : null;
}

interface PickProps {
  label: string;
  versions: VersionView[];
  value: VersionView;
  onValue: (value: string) => void;
}

function Pick({ label, versions, value, onValue }: PickProps) {
  return (
    <Select
      aria-label={label}
      choices={withOwn(versions, value).map(({ version }) => ({ value: String(version), label: `Version ${version}` }))}
      value={String(value.version)}
      onValue={onValue}
    />
  );
}

/** An old one, to which a link led, may not be in the list yet. */
function withOwn(versions: VersionView[], own: VersionView): VersionView[] {
  return versions.some(({ version }) => version === own.version) ? versions : [...versions, own];
}

/** Restores an old definition, after confirmation. */
function useRollback(job: JobView) {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: (version: number) =>
      call("POST /jobs/{id}/rollback", { path: { id: job.id }, body: { version }, version: job.version }),
    onError: (error) =>
      toastError(
        error instanceof ApiError && error.status === 412
          ? `${job.name} was just changed by someone else. Review it and try again`
          : `Could not roll back ${job.name}`,
        error,
      ),
    onSuccess: (saved, version) => {
      client.setQueryData(["jobs", "one", job.id], saved);
      toast(`Rolled ${job.name} back to version ${version}, saved as version ${saved.version}`);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["jobs"] }),
  });
  return async ({ version }: VersionView) => {
    const sure = await confirm({
      title: `Roll back to version ${version}?`,
      text: `Saves that definition as version ${job.version + 1}. Version ${job.version} stays in the list.`,
      action: "Roll back",
    });
    if (sure) mutation.mutate(version);
  };
}
