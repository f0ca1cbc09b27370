import { CheckField } from "@/components/ui/check-field";
import { CodeEditor } from "@/components/ui/code-editor";
import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Group } from "@/components/ui/group";
import { ListEditor } from "@/components/ui/list-editor";
import { Segments } from "@/components/ui/segments";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "../draft-props";
import type { ScriptDraft } from "../model/target-code";
import { textBinding } from "../text-binding";
import { EnvironmentField } from "./environment-field";
import { LimitsFields, limitsSummary } from "./limits-fields";

const KNOWN = ["bash", "sh", "python"];
const INTERPRETERS = [...KNOWN.map((value) => ({ value, label: value })), { value: "/", label: "Other" }];
const FROM = [
  { value: "source", label: "Inline" },
  { value: "file", label: "File on the worker" },
];
const LIMITS = ["memory", "cpu", "files", "processes"] as const;

export function ScriptFields(props: DraftProps<ScriptDraft>) {
  const { draft, onDraft, errors } = props;
  const text = textBinding(props);
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
          <TextField
            {...text("interpreter", "target.interpreter")}
            label="Program path"
            className="min-w-48 flex-1"
            mono
            placeholder="/usr/bin/perl"
          />
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
        <TextField
          label="Path on the worker"
          error={errors.at("target.file") ?? errors.at("target.source")}
          mono
          placeholder="/opt/jobs/report.sh"
          value={draft.file}
          onValue={(file) => onDraft({ file })}
        />
      )}
      <Group label="Arguments" optional error={errors.under("target.args")}>
        <ListEditor noun="argument" rows={draft.args} onRows={(args) => onDraft({ args })} />
      </Group>
      <EnvironmentField draft={draft} onDraft={onDraft} errors={errors} />
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
        <TextField
          {...text("cwd", "target.cwd")}
          label="Working directory"
          optional
          mono
          placeholder="home directory"
        />
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
