import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import type { FormErrors } from "../form-errors";

interface LimitsFieldsProps<T extends string> {
  names: readonly T[];
  draft: Record<T, string>;
  onDraft: (change: Partial<Record<T, string>>) => void;
  errors: FormErrors;
}

const WORDS: Record<string, { label: string; placeholder: string }> = {
  memory: { label: "Memory", placeholder: "512MiB" },
  cpu: { label: "CPU time (seconds)", placeholder: "no limit" },
  cpus: { label: "CPUs", placeholder: "0.5" },
  files: { label: "Open files", placeholder: "worker default" },
  processes: { label: "Processes", placeholder: "worker default" },
};

/** What an attempt may use; left empty, the worker's own limits hold. */
export function LimitsFields<T extends string>({ names, draft, onDraft, errors }: LimitsFieldsProps<T>) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {names.map((name) => (
        <Field key={name} label={WORDS[name]?.label ?? name} optional error={errors.at(`target.limits.${name}`)}>
          <Input
            placeholder={WORDS[name]?.placeholder}
            value={draft[name]}
            onChange={(event) => onDraft({ [name]: event.target.value } as Partial<Record<T, string>>)}
          />
        </Field>
      ))}
    </div>
  );
}

export function limitsSummary(draft: Record<string, string>): string {
  const given = Object.entries(draft).filter(([, value]) => value !== "");
  return given.length === 0 ? "worker default" : given.map(([name, value]) => `${name} ${value}`).join(" · ");
}
