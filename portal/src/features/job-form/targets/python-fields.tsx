import { Braces, ListTree } from "lucide-react";
import type { FunctionView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { CodeEditor } from "@/components/ui/code-editor";
import { Field } from "@/components/ui/field";
import { Group } from "@/components/ui/group";
import { Select } from "@/components/ui/select";
import { SkeletonLines } from "@/components/ui/skeleton";
import type { FormErrors } from "../form-errors";
import { fieldsOf } from "../model/json-schema";
import { record } from "../model/read";
import { type PythonDraft, parsed } from "../model/target-code";
import { useFunctions } from "../queries";
import { ArgumentInput } from "./argument-input";
import type { TargetProps } from "./http-fields";

export function PythonFields({ draft, onDraft, errors }: TargetProps<PythonDraft>) {
  const functions = useFunctions(true);
  if (functions.isPending) return <SkeletonLines lines={3} />;
  const all = functions.data?.items ?? [];
  const chosen = all.find((one) => one.name === draft.function);
  return (
    <div className="space-y-4">
      <Field
        label="Function"
        hint={
          chosen?.description ||
          "What workers have registered: mark functions with @horae.task and start horae worker --import my.tasks."
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
        <Arguments
          key={`${draft.function} ${draft.json === null}`}
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
      label: one.name === one.display_name ? one.name : `${one.display_name} · ${one.name}`,
    }));
  const missing = present && !all.some((one) => one.name === present) ? [{ value: present, label: present }] : [];
  return [...(present ? [] : [{ value: "", label: "Choose a function" }]), ...missing, ...known];
}

interface ArgumentsProps extends TargetProps<PythonDraft> {
  chosen: FunctionView | undefined;
  errors: FormErrors;
}

function Arguments({ chosen, draft, onDraft, errors }: ArgumentsProps) {
  const fields = fieldsOf(chosen?.parameters);
  const known = fields.map((field) => field.name);
  const asJson = draft.json !== null || !chosen;
  if (asJson) {
    const text = draft.json ?? JSON.stringify(draft.arguments, null, 2);
    const back = () => onDraft({ json: null, arguments: record(parsed(text)) });
    return (
      <Field
        label={
          <span className="flex items-center gap-2">
            Arguments{" "}
            {chosen ? (
              <Button size="sm" variant="ghost" onClick={back}>
                <ListTree /> As fields
              </Button>
            ) : null}
          </span>
        }
        hint="A JSON object: argument names and their values."
        error={errors.under("target.arguments")}
      >
        <CodeEditor language="json" aria-label="Arguments" value={text} onValue={(json) => onDraft({ json })} />
      </Field>
    );
  }
  const rest = Object.keys(draft.arguments).filter((name) => !known.includes(name));
  return (
    <Group
      label={
        <span className="flex items-center gap-2">
          Arguments{" "}
          <Button size="sm" variant="ghost" onClick={() => onDraft({ json: JSON.stringify(draft.arguments, null, 2) })}>
            <Braces /> As JSON
          </Button>
        </span>
      }
      hint={
        rest.length > 0 ? `Also given, but not known to the function: ${rest.join(", ")}. See them as JSON.` : undefined
      }
      error={errors.at("target.arguments")}
    >
      {fields.length === 0 ? <p className="text-sm text-muted">It takes none.</p> : null}
      <div className="grid gap-3 sm:grid-cols-2">
        {fields.map((field) => (
          <ArgumentInput
            key={field.name}
            field={field}
            value={draft.arguments[field.name]}
            onValue={(value) => {
              const { [field.name]: _, ...others } = draft.arguments;
              onDraft({ arguments: value === undefined ? others : { ...others, [field.name]: value } });
            }}
            error={errors.under(`target.arguments.${field.name}`)}
          />
        ))}
      </div>
    </Group>
  );
}
