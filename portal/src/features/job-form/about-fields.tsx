import { Field } from "@/components/ui/field";
import { Textarea } from "@/components/ui/input";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "./draft-props";
import { textBinding } from "./text-binding";

interface AboutFieldsProps extends DraftProps<{ name: string; tags: string; description: string }> {
  /** A name and tags, as an example. */
  example: [name: string, tags?: string];
  /** Whether the cursor starts here. */
  first?: boolean;
}

/** The name, tags and description of a job or a ping. */
export function AboutFields({ example, first = false, ...form }: AboutFieldsProps) {
  const text = textBinding(form);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <TextField
        {...text("name", "name")}
        label="Name"
        placeholder={example[0]}
        maxLength={200}
        autoFocus={first}
        autoComplete="off"
      />
      <TextField {...text("tags", "tags")} label="Tags" optional hint="Comma-separated." placeholder={example[1]} />
      <Field label="Description" optional error={form.errors.at("description")} className="sm:col-span-2">
        <Textarea
          rows={2}
          value={form.draft.description}
          onChange={(event) => form.onDraft({ description: event.target.value })}
        />
      </Field>
    </div>
  );
}
