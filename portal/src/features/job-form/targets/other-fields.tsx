import { JsonField } from "@/components/ui/json-field";
import type { DraftProps } from "../draft-props";
import type { OtherDraft } from "../model/target-other";

/** A target of a kind without a form. */
export function OtherFields({ draft, onDraft }: DraftProps<OtherDraft>) {
  return (
    <JsonField
      label="Target"
      value={draft.json}
      onValue={(json) => onDraft({ json })}
      hint="The server checks it when you save."
    />
  );
}
