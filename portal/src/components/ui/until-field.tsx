import { userZone } from "@/lib/times";
import { Button } from "./button";
import { Field } from "./field";
import { InstantInput } from "./instant-input";

const HOUR = 3_600_000;
const LENGTHS: [string, number][] = [
  ["1 hour", HOUR],
  ["8 hours", 8 * HOUR],
  ["1 day", 24 * HOUR],
  ["1 week", 7 * 24 * HOUR],
];

interface UntilFieldProps {
  value: string;
  onValue: (value: string) => void;
  hint?: string;
  error?: string;
  optional?: boolean;
}

/** An instant ahead, with the usual lengths to choose from. */
export function UntilField({ value, onValue, hint, error, optional }: UntilFieldProps) {
  return (
    <div>
      <Field label="Until" optional={optional} hint={hint} error={error}>
        <InstantInput value={value} zone={userZone()} onValue={onValue} />
      </Field>
      <div className="mt-2 flex flex-wrap gap-1">
        {LENGTHS.map(([label, length]) => (
          <Button key={label} size="sm" onClick={() => onValue(new Date(Date.now() + length).toISOString())}>
            {label}
          </Button>
        ))}
      </div>
    </div>
  );
}
