import { CheckField } from "@/components/ui/check-field";
import { CodeEditor } from "@/components/ui/code-editor";
import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Group } from "@/components/ui/group";
import { ListEditor } from "@/components/ui/list-editor";
import { Segments } from "@/components/ui/segments";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "../draft-props";
import type { ArtifactDraft } from "../model/target-code";
import { textBinding } from "../text-binding";
import { EnvironmentField } from "./environment-field";
import { LimitsFields, limitsSummary } from "./limits-fields";

const RUNS = [
  { value: "function", label: "Python function" },
  { value: "command", label: "Command" },
];
const LIMITS = ["memory", "cpu", "files", "processes"] as const;

export function ArtifactFields(props: DraftProps<ArtifactDraft>) {
  const { draft, onDraft, errors } = props;
  const text = textBinding(props);
  return (
    <div className="space-y-4">
      <TextField
        {...text("uri", "target.uri")}
        label="Archive"
        hint="A zip, wheel or tar file: file:///…, s3://…, or other schemes allowed by HORAE_ARTIFACT_SCHEMES."
        mono
        placeholder="s3://builds/report-1.4.zip"
      />
      <TextField
        {...text("digest", "target.digest")}
        label="Digest"
        hint="sha256: followed by the output of sha256sum."
        mono
        placeholder="sha256:…"
      />
      <Group label="Runs" error={draft.runs === "command" ? errors.under("target.entrypoint") : undefined}>
        <Segments
          label="Runs"
          choices={RUNS}
          value={draft.runs}
          onValue={(runs) => onDraft({ runs: runs as ArtifactDraft["runs"] })}
        />
        {draft.runs === "command" ? (
          <div className="pt-2">
            <ListEditor noun="command part" rows={draft.command} onRows={(command) => onDraft({ command })} />
          </div>
        ) : null}
      </Group>
      {draft.runs === "function" ? (
        <>
          <TextField
            label="Function"
            hint="module:function"
            error={errors.at("target.entrypoint")}
            mono
            placeholder="report.main:run"
            value={draft.function}
            onValue={(name) => onDraft({ function: name })}
          />
          <Field
            label="Arguments"
            optional
            hint="A JSON object. The run's input is merged in and takes precedence."
            error={errors.under("target.arguments")}
          >
            <CodeEditor
              language="json"
              aria-label="Arguments"
              value={draft.arguments}
              onValue={(args) => onDraft({ arguments: args })}
            />
          </Field>
        </>
      ) : null}
      <EnvironmentField draft={draft} onDraft={onDraft} errors={errors} />
      <Fold
        title="Requirements, container, limits"
        summary={limitsSummary({ ...draft.limits })}
        needed={["install", "image", "limits"].some((name) => errors.under(`target.${name}`) !== undefined)}
      >
        <CheckField
          label="Install requirements.txt first"
          hint="In its own virtual environment. Workers need HORAE_ARTIFACT_INSTALL."
          checked={draft.install}
          onChecked={(install) => onDraft({ install })}
        />
        <TextField
          label="Run in a container"
          optional
          error={errors.at("target.image") ?? errors.at("target.install")}
          mono
          placeholder="directly on the worker"
          value={draft.image}
          onValue={(image) => onDraft({ image })}
        />
        <LimitsFields
          names={LIMITS}
          draft={{ ...draft.limits }}
          onDraft={(change) => onDraft({ limits: { ...draft.limits, ...change } })}
          errors={errors}
        />
      </Fold>
    </div>
  );
}
