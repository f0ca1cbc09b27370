import { CheckField } from "@/components/ui/check-field";
import { CodeEditor } from "@/components/ui/code-editor";
import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Group } from "@/components/ui/group";
import { Input } from "@/components/ui/input";
import { ListEditor } from "@/components/ui/list-editor";
import { PairsEditor } from "@/components/ui/pairs-editor";
import { Segments } from "@/components/ui/segments";
import { Select } from "@/components/ui/select";
import type { ScriptDraft } from "../model/target-code";
import type { TargetProps } from "./http-fields";
import { LimitsFields, limitsSummary } from "./limits-fields";

const KNOWN = ["bash", "sh", "python"];
const INTERPRETERS = [...KNOWN.map((value) => ({ value, label: value })), { value: "/", label: "Other" }];
const FROM = [
  { value: "source", label: "Inline" },
  { value: "file", label: "File on the worker" },
];
const LIMITS = ["memory", "cpu", "files", "processes"] as const;

export function ScriptFields({ draft, onDraft, errors }: TargetProps<ScriptDraft>) {
  const other = !KNOWN.includes(draft.interpreter);
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Interpreter" error={other ? undefined : errors.at("target.interpreter")}>
          <Select
            choices={INTERPRETERS}
            value={other ? "/" : draft.interpreter}
            onValue={(interpreter) => onDraft({ interpreter })}
          />
        </Field>
        {other ? (
          <Field label="Program path" error={errors.at("target.interpreter")} className="min-w-48 flex-1">
            <Input
              className="font-mono text-xs"
              placeholder="/usr/bin/perl"
              value={draft.interpreter}
              onChange={(event) => onDraft({ interpreter: event.target.value })}
            />
          </Field>
        ) : null}
        <Segments
          label="Script source"
          choices={FROM}
          value={draft.from}
          onValue={(from) => onDraft({ from: from as ScriptDraft["from"] })}
        />
      </div>
      {draft.from === "source" ? (
        <Field
          label="Script"
          hint="The run's input arrives on standard input as JSON. Write the result as JSON to the file $HORAE_RESULT."
          error={errors.at("target.source")}
        >
          <CodeEditor
            language={draft.interpreter.includes("python") ? "python" : "shell"}
            aria-label="Script"
            value={draft.source}
            onValue={(source) => onDraft({ source })}
          />
        </Field>
      ) : (
        <Field label="Path on the worker" error={errors.at("target.file") ?? errors.at("target.source")}>
          <Input
            className="font-mono text-xs"
            placeholder="/opt/jobs/report.sh"
            value={draft.file}
            onChange={(event) => onDraft({ file: event.target.value })}
          />
        </Field>
      )}
      <Group label="Arguments" optional error={errors.under("target.args")}>
        <ListEditor noun="argument" rows={draft.args} onRows={(args) => onDraft({ args })} />
      </Group>
      <Group
        label="Environment"
        optional
        hint="Values can use {{ secrets.NAME }}, {{ input.… }} and {{ run.id }}."
        error={errors.under("target.env")}
      >
        <PairsEditor noun="variable" multiline rows={draft.env} onRows={(env) => onDraft({ env })} />
      </Group>
      <Fold
        title="Limits and sandbox"
        summary={`${limitsSummary({ ...draft.limits })}${draft.sandbox ? " · in a sandbox" : ""}`}
        needed={["limits", "sandbox", "cwd"].some((name) => errors.under(`target.${name}`) !== undefined)}
      >
        <LimitsFields
          names={LIMITS}
          draft={{ ...draft.limits }}
          onDraft={(change) => onDraft({ limits: { ...draft.limits, ...change } })}
          errors={errors}
        />
        <Field label="Working directory" optional error={errors.at("target.cwd")}>
          <Input
            className="font-mono text-xs"
            placeholder="home directory"
            value={draft.cwd}
            onChange={(event) => onDraft({ cwd: event.target.value })}
          />
        </Field>
        <CheckField
          label="Run in a sandbox"
          hint="Isolated from other processes on the machine. Requires bubblewrap on the worker."
          checked={draft.sandbox}
          onChecked={(sandbox) => onDraft({ sandbox })}
        />
        {draft.sandbox ? (
          <div className="space-y-2 pl-6">
            <CheckField
              label="Allow network access"
              checked={draft.network}
              onChecked={(network) => onDraft({ network })}
            />
            <CheckField
              label="Read-only file system"
              hint="Only /tmp is writable, and starts empty."
              checked={draft.readOnly}
              onChecked={(readOnly) => onDraft({ readOnly })}
            />
          </div>
        ) : null}
      </Fold>
    </div>
  );
}
