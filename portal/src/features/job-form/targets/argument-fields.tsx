import { Braces, ListTree } from "lucide-react";
import type { FunctionView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { CodeEditor } from "@/components/ui/code-editor";
import { Field } from "@/components/ui/field";
import { Group } from "@/components/ui/group";
import type { FormErrors } from "../form-errors";
import { type ArgumentsDraft, asText, isObject } from "../model/arguments";
import { type ArgumentField, fieldsOf } from "../model/json-schema";
import { type Json, record } from "../model/read";
import { parsed } from "../model/target-code";
import { ArgumentInput } from "./argument-input";

interface ArgumentFieldsProps {
  label: string;
  /** The function that gets them; undefined if no worker has registered it: then they are JSON. */
  chosen: FunctionView | undefined;
  draft: ArgumentsDraft;
  onDraft: (change: Partial<ArgumentsDraft>) => void;
  errors: FormErrors;
  /** Their path as the API names it. */
  path: string;
  /** What holds where nothing is written here. */
  given?: Json;
}

/** Arguments of a function: a field for each of its parameters, or all as JSON. */
export function ArgumentFields(props: ArgumentFieldsProps) {
  const asJson = props.draft.json !== null || !props.chosen;
  return asJson ? <AsJson {...props} /> : <AsFields {...props} />;
}

function AsJson({ label, chosen, draft, onDraft, errors, path, given = {} }: ArgumentFieldsProps) {
  const text = asText(draft);
  const fits = text.trim() === "" || isObject(parsed(text));
  const over = Object.keys(given).length > 0 ? ` They override the job's own: ${JSON.stringify(given)}.` : "";
  return (
    <Field
      label={
        <span className="flex items-center gap-2">
          {label}{" "}
          {chosen ? (
            <Button
              size="sm"
              variant="ghost"
              disabled={!fits}
              onClick={() => onDraft({ json: null, arguments: record(parsed(text)) })}
            >
              <ListTree /> As fields
            </Button>
          ) : null}
        </span>
      }
      hint={`A JSON object of argument names and values.${over}`}
      error={errors.under(path)}
    >
      <CodeEditor language="json" aria-label={label} value={text} onValue={(json) => onDraft({ json })} />
    </Field>
  );
}

function AsFields({ label, chosen, draft, onDraft, errors, path, given = {} }: ArgumentFieldsProps) {
  const fields = fieldsOf(chosen?.parameters);
  const rest = Object.keys(draft.arguments).filter((name) => !fields.some((field) => field.name === name));
  return (
    <Group
      label={
        <span className="flex items-center gap-2">
          {label}{" "}
          <Button size="sm" variant="ghost" onClick={() => onDraft({ json: asText(draft) || "{}" })}>
            <Braces /> As JSON
          </Button>
        </span>
      }
      hint={rest.length > 0 ? `Unknown to the function: ${rest.join(", ")}. Switch to JSON to see them.` : undefined}
      error={errors.at(path)}
    >
      {fields.length === 0 ? <p className="text-sm text-muted">No parameters.</p> : null}
      <div className="grid gap-3 sm:grid-cols-2">
        {fields.map((field) => (
          <ArgumentInput
            key={field.name}
            field={backed(field, given)}
            value={draft.arguments[field.name]}
            onValue={(value) => {
              const { [field.name]: _, ...others } = draft.arguments;
              onDraft({ arguments: value === undefined ? others : { ...others, [field.name]: value } });
            }}
            error={errors.under(`${path}.${field.name}`)}
          />
        ))}
      </div>
    </Group>
  );
}

/** A field that may be left empty, because something is given for it elsewhere. */
function backed(field: ArgumentField, given: Json): ArgumentField {
  if (!(field.name in given)) return field;
  const job = `the job gives ${JSON.stringify(given[field.name])}`;
  return { ...field, required: false, fallback: undefined, hint: [field.hint, job].filter(Boolean).join(" · ") };
}
