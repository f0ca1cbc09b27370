import type { FunctionView } from "@/api/schema";
import { Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import { SkeletonLines } from "@/components/ui/skeleton";
import { sameWords } from "@/lib/words";
import type { DraftProps } from "../draft-props";
import type { PythonDraft } from "../model/target-code";
import { useFunctions } from "../queries";
import { ArgumentFields } from "./argument-fields";

export function PythonFields({ draft, onDraft, errors }: DraftProps<PythonDraft>) {
  const functions = useFunctions(true);
  if (functions.isPending) return <SkeletonLines lines={3} />;
  const all = (functions.data?.items ?? []).filter((one) => one.kind !== "celery");
  const chosen = all.find((one) => one.name === draft.function);
  return (
    <div className="space-y-4">
      <Field
        label="Function"
        hint={
          chosen?.description ||
          "Registered by workers. Mark functions with @horae.task and start horae worker --import my.tasks."
        }
        error={errors.at("target.function")}
      >
        <Select
          className="w-full sm:w-96"
          choices={choices(all, draft.function)}
          value={draft.function}
          onValue={(name) => onDraft({ function: name })}
        />
      </Field>
      {draft.function ? (
        <ArgumentFields
          key={`${draft.function} ${draft.json === null}`}
          label="Arguments"
          path="target.arguments"
          chosen={chosen}
          draft={draft}
          onDraft={onDraft}
          errors={errors}
        />
      ) : null}
    </div>
  );
}

function choices(all: FunctionView[], present: string) {
  const known = all
    .filter((one) => one.is_active || one.name === present)
    .map((one) => ({
      value: one.name,
      label: sameWords(one.display_name, one.name) ? one.name : `${one.display_name} · ${one.name}`,
    }));
  const missing = present && !all.some((one) => one.name === present) ? [{ value: present, label: present }] : [];
  return [...(present ? [] : [{ value: "", label: "Choose a function" }]), ...missing, ...known];
}
