import { Group } from "@/components/ui/group";
import type { Pair } from "@/components/ui/pairs-editor";
import { PairsEditor } from "@/components/ui/pairs-editor";
import type { DraftProps } from "../draft-props";

export function EnvironmentField({ draft, onDraft, errors }: DraftProps<{ env: Pair[] }>) {
  return (
    <Group
      label="Environment"
      optional
      hint="Values can use {{ secrets.NAME }}, {{ input.… }} and {{ run.id }}."
      error={errors.under("target.env")}
    >
      <PairsEditor noun="variable" multiline rows={draft.env} onRows={(env) => onDraft({ env })} />
    </Group>
  );
}
