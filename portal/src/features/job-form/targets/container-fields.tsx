import { Plus, X } from "lucide-react";
import { Button } from "@/components/ui/button";
import { CheckField } from "@/components/ui/check-field";
import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Group } from "@/components/ui/group";
import { Input } from "@/components/ui/input";
import { ListEditor } from "@/components/ui/list-editor";
import { PairsEditor } from "@/components/ui/pairs-editor";
import { Select } from "@/components/ui/select";
import type { ContainerDraft, MountDraft } from "../model/target-code";
import type { TargetProps } from "./http-fields";
import { LimitsFields, limitsSummary } from "./limits-fields";

const PULLS = [
  { value: "missing", label: "If it is missing" },
  { value: "always", label: "Always" },
  { value: "never", label: "Never" },
];
const LIMITS = ["memory", "cpus", "processes"] as const;
const FOLDED = ["limits", "cwd", "user", "mounts", "entrypoint"];

export function ContainerFields({ draft, onDraft, errors }: TargetProps<ContainerDraft>) {
  const { memory, cpus, processes } = draft;
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap gap-3">
        <Field label="Image" error={errors.at("target.image")} className="min-w-56 flex-1">
          <Input
            className="font-mono text-xs"
            placeholder="alpine:3.20"
            value={draft.image}
            onChange={(event) => onDraft({ image: event.target.value })}
          />
        </Field>
        <Field label="Pull it">
          <Select choices={PULLS} value={draft.pull} onValue={(pull) => onDraft({ pull })} />
        </Field>
      </div>
      <Group
        label="Command"
        optional
        hint="The program and its arguments, one a row. Left empty, the image's own."
        error={errors.under("target.command")}
      >
        <ListEditor noun="part of the command" rows={draft.command} onRows={(command) => onDraft({ command })} />
      </Group>
      <Group
        label="Environment"
        optional
        hint="Values may use {{ secrets.NAME }}, {{ input.… }}, {{ run.id }}."
        error={errors.under("target.env")}
      >
        <PairsEditor noun="variable" multiline rows={draft.env} onRows={(env) => onDraft({ env })} />
      </Group>
      <CheckField label="May use the network" checked={draft.network} onChecked={(network) => onDraft({ network })} />
      <CheckField
        label="Keep the container for the next run"
        hint="Starts in a quarter of the time; what a run leaves in its files is there for the next one."
        checked={draft.reuse}
        onChecked={(reuse) => onDraft({ reuse })}
      />
      <Fold
        title="Limits, user, mounts"
        summary={limitsSummary({ memory, cpus, processes })}
        needed={FOLDED.some((name) => errors.under(`target.${name}`) !== undefined)}
      >
        <LimitsFields names={LIMITS} draft={{ memory, cpus, processes }} onDraft={onDraft} errors={errors} />
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="User" optional error={errors.at("target.user")}>
            <Input
              placeholder="the image's own"
              value={draft.user}
              onChange={(event) => onDraft({ user: event.target.value })}
            />
          </Field>
          <Field label="Working directory" optional error={errors.at("target.cwd")}>
            <Input
              placeholder="the image's own"
              value={draft.cwd}
              onChange={(event) => onDraft({ cwd: event.target.value })}
            />
          </Field>
        </div>
        <Group label="Entrypoint" optional error={errors.under("target.entrypoint")}>
          <ListEditor
            noun="part of the entrypoint"
            rows={draft.entrypoint}
            onRows={(entrypoint) => onDraft({ entrypoint })}
          />
        </Group>
        <Group
          label="Mounts"
          optional
          hint="Folders of the worker's machine, as far as its HORAE_CONTAINER_MOUNTS allows them."
          error={errors.under("target.mounts")}
        >
          <Mounts rows={draft.mounts} onRows={(mounts) => onDraft({ mounts })} />
        </Group>
      </Fold>
    </div>
  );
}

function Mounts({ rows, onRows }: { rows: MountDraft[]; onRows: (rows: MountDraft[]) => void }) {
  const change = (at: number, patch: Partial<MountDraft>) =>
    onRows(rows.map((row, index) => (index === at ? { ...row, ...patch } : row)));
  return (
    <div className="space-y-1.5">
      {rows.map((row, index) => (
        <div key={`mount ${index + 1}`} className="flex flex-wrap items-center gap-1.5">
          <Input
            aria-label={`Source of mount ${index + 1}`}
            placeholder="/on/the/worker"
            className="min-w-32 flex-1 font-mono text-xs"
            value={row.source}
            onChange={(event) => change(index, { source: event.target.value })}
          />
          <Input
            aria-label={`Target of mount ${index + 1}`}
            placeholder="/in/the/container"
            className="min-w-32 flex-1 font-mono text-xs"
            value={row.target}
            onChange={(event) => change(index, { target: event.target.value })}
          />
          <CheckField label="read-only" checked={row.readOnly} onChecked={(readOnly) => change(index, { readOnly })} />
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove mount ${index + 1}`}
            onClick={() => onRows(rows.filter((_, at) => at !== index))}
          >
            <X />
          </Button>
        </div>
      ))}
      <Button size="sm" variant="ghost" onClick={() => onRows([...rows, { source: "", target: "", readOnly: true }])}>
        <Plus /> Add mount
      </Button>
    </div>
  );
}
