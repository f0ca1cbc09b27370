import { Field } from "@/components/ui/field";
import { Textarea } from "@/components/ui/input";
import { Panel } from "@/components/ui/panel";
import { TextField } from "@/components/ui/text-field";
import type { FormErrors } from "./form-errors";
import type { Draft } from "./model/draft";

interface AboutSectionProps {
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
  errors: FormErrors;
  /** The cursor waits here on a new job. */
  first?: boolean;
}

/** What the job is called. */
export function AboutSection({ draft, onDraft, errors, first = false }: AboutSectionProps) {
  return (
    <Panel title="About">
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          error={errors.at("name")}
          value={draft.name}
          placeholder="nightly-report"
          maxLength={200}
          autoFocus={first}
          autoComplete="off"
          onValue={(name) => onDraft({ name })}
        />
        <TextField
          label="Tags"
          optional
          hint="Comma-separated."
          error={errors.under("tags")}
          value={draft.tags}
          placeholder="finance, nightly"
          onValue={(tags) => onDraft({ tags })}
        />
        <Field label="Description" optional error={errors.at("description")} className="sm:col-span-2">
          <Textarea
            rows={2}
            value={draft.description}
            onChange={(event) => onDraft({ description: event.target.value })}
          />
        </Field>
      </div>
    </Panel>
  );
}
