import type { JobView } from "@/api/schema";
import { CodeEditor } from "@/components/ui/code-editor";
import { Field } from "@/components/ui/field";
import { SkeletonLines } from "@/components/ui/skeleton";
import type { FormErrors } from "@/features/job-form/form-errors";
import { type ArgumentsDraft, asText } from "@/features/job-form/model/arguments";
import { record } from "@/features/job-form/model/read";
import { useFunctions } from "@/features/job-form/queries";
import { ArgumentFields } from "@/features/job-form/targets/argument-fields";

interface RunInputProps {
  /** Of the job that is to run; undefined if it is gone. */
  target: JobView["target"] | undefined;
  draft: ArgumentsDraft;
  onDraft: (change: Partial<ArgumentsDraft>) => void;
  errors: FormErrors;
}

/** What a run is given: the arguments of a function by their names, for all else JSON. */
export function RunInput({ target, draft, onDraft, errors }: RunInputProps) {
  const python = target?.kind === "python" ? target : null;
  const functions = useFunctions(python !== null);
  if (python && functions.isPending) return <SkeletonLines lines={3} />;
  const chosen = functions.data?.items.find((one) => one.name === python?.function);
  if (python && chosen) {
    return (
      <ArgumentFields
        key={String(draft.json === null)}
        label="Input"
        path="input"
        chosen={chosen}
        draft={draft}
        onDraft={onDraft}
        errors={errors}
        given={record(python.arguments)}
      />
    );
  }
  return (
    <Field label="Input" optional hint={hintOf(target?.kind)} error={errors.under("input")}>
      <CodeEditor language="json" aria-label="Input" value={asText(draft)} onValue={(json) => onDraft({ json })} />
    </Field>
  );
}

function hintOf(kind: NonNullable<JobView["target"]>["kind"] | undefined): string {
  switch (kind) {
    case "http":
      return "Any JSON. Sent as the body, or available to its template.";
    case "python":
      return "A JSON object of arguments. They override the job's own.";
    default:
      return "Any JSON. Passed on standard input.";
  }
}
