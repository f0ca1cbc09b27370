import { Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { seconds } from "@/lib/durations";
import { plural } from "@/lib/words";
import type { DraftProps } from "./draft-props";
import { type PolicyDraft, waits } from "./model/policies";
import { NumberField } from "./number-field";
import { textBinding } from "./text-binding";

const BACKOFFS = [
  { value: "exponential", label: "Exponential" },
  { value: "linear", label: "Linear" },
  { value: "fixed", label: "Fixed" },
];
const MOST = 8; // waits that are listed

export function RetryFields(props: DraftProps<PolicyDraft>) {
  const { draft, onDraft, errors } = props;
  const text = textBinding(props);
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <NumberField
          {...text("maxAttempts", "retry.max_attempts")}
          label="Attempts"
          hint="Including the first."
          placeholder="3"
        />
        <Field label="Backoff" error={errors.at("retry.backoff")}>
          <Select
            className="w-full"
            choices={BACKOFFS}
            value={draft.backoff}
            onValue={(backoff) => onDraft({ backoff })}
          />
        </Field>
        <NumberField {...text("delay", "retry.delay")} label="Initial delay (seconds)" placeholder="60" />
        <NumberField {...text("maxDelay", "retry.max_delay")} label="Maximum delay (seconds)" placeholder="3600" />
        <NumberField
          {...text("retryJitter", "retry.jitter")}
          label="Jitter"
          hint="Randomizes each delay by this fraction, 0 to 1."
          placeholder="0.1"
        />
        <TextField
          {...text("permanentExitCodes", "retry.permanent_exit_codes")}
          label="Permanent exit codes"
          optional
          hint="Comma-separated, 1 to 255. No retry after these."
        />
      </div>
      <RetryPreview draft={draft} />
    </>
  );
}

/** The waits as a line of time. */
function RetryPreview({ draft }: { draft: PolicyDraft }) {
  const all = waits(draft);
  if (all.length === 0) return <p className="text-xs text-muted">No retries.</p>;
  const total = all.reduce((sum, wait) => sum + wait, 0);
  return (
    <div>
      <ol aria-label="Attempts and delays" className="flex flex-wrap items-center gap-1 text-xs">
        <Attempt n={1} />
        {all.slice(0, MOST).map((wait, index) => (
          <li key={`wait ${index + 1}`} className="flex items-center gap-1">
            <span className="px-1 text-muted">{seconds(wait)}</span>
            <span className="rounded bg-sunken px-1.5 py-0.5 text-soft">attempt {index + 2}</span>
          </li>
        ))}
        {all.length > MOST ? <li className="text-muted">… {all.length - MOST} more</li> : null}
      </ol>
      <p className="mt-1.5 text-xs text-muted">Gives up after {seconds(total)} of delays in total.</p>
    </div>
  );
}

function Attempt({ n }: { n: number }) {
  return <li className="rounded bg-sunken px-1.5 py-0.5 text-soft">attempt {n}</li>;
}

export function retrySummary(draft: PolicyDraft): string {
  const all = waits(draft);
  if (all.length === 0) return "none";
  return `${plural(all.length + 1, "attempt")} · first after ${seconds(all[0] ?? 0)}`;
}
