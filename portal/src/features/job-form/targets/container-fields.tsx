import { CheckField } from "@/components/ui/check-field";
import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Group } from "@/components/ui/group";
import { Input } from "@/components/ui/input";
import { ListEditor } from "@/components/ui/list-editor";
import { AddRow, RemoveRow } from "@/components/ui/row-buttons";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "../draft-props";
import type { ContainerDraft, MountDraft } from "../model/target-code";
import { textBinding } from "../text-binding";
import { EnvironmentField } from "./environment-field";
import { LimitsFields, limitsSummary } from "./limits-fields";

const PULLS = [
  { value: "missing", label: "If missing" },
  { value: "always", label: "Always" },
  { value: "never", label: "Never" },
];
const LIMITS = ["memory", "cpus", "processes"] as const;
const FOLDED = ["limits", "cwd", "user", "mounts", "entrypoint"];

export function ContainerFields(props: DraftProps<ContainerDraft>) {
  const { draft, onDraft, errors } = props;
  const text = textBinding(props);
  const { memory, cpus, processes } = draft;
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap gap-3">
        <TextField
          {...text("image", "target.image")}
          label="Image"
          className="min-w-56 flex-1"
          mono
          placeholder="alpine:3.20"
        />
        <Field label="Pull">
          <Select choices={PULLS} value={draft.pull} onValue={(pull) => onDraft({ pull })} />
        </Field>
      </div>
      <Group
        label="Command"
        optional
        hint="Program and arguments, one per row. If empty, the image default."
        error={errors.under("target.command")}
      >
        <ListEditor noun="command part" rows={draft.command} onRows={(command) => onDraft({ command })} />
      </Group>
      <EnvironmentField draft={draft} onDraft={onDraft} errors={errors} />
      <CheckField label="Allow network access" checked={draft.network} onChecked={(network) => onDraft({ network })} />
      <CheckField
        label="Reuse the container"
        hint="Starts faster, but files left by one run are visible to the next."
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
          <TextField {...text("user", "target.user")} label="User" optional placeholder="image default" />
          <TextField {...text("cwd", "target.cwd")} label="Working directory" optional placeholder="image default" />
        </div>
        <Group label="Entrypoint" optional error={errors.under("target.entrypoint")}>
          <ListEditor noun="entrypoint part" rows={draft.entrypoint} onRows={(entrypoint) => onDraft({ entrypoint })} />
        </Group>
        <Group
          label="Mounts"
          optional
          hint="Folders on the worker, if HORAE_CONTAINER_MOUNTS allows them."
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
          <RemoveRow label={`mount ${index + 1}`} onRemove={() => onRows(rows.filter((_, at) => at !== index))} />
        </div>
      ))}
      <AddRow noun="mount" onAdd={() => onRows([...rows, { source: "", target: "", readOnly: true }])} />
    </div>
  );
}
