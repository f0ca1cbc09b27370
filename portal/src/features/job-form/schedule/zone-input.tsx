import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import type { FormErrors } from "../form-errors";

interface ZoneInputProps {
  value: string;
  onValue: (value: string) => void;
  errors: FormErrors;
}

const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

export function ZoneInput({ value, onValue, errors }: ZoneInputProps) {
  return (
    <>
      <Field label="Time zone" error={errors.at("schedule.timezone")} className="w-56">
        <Input
          list="zones"
          value={value}
          onChange={(event) => onValue(event.target.value)}
          onFocus={(event) => event.target.select()}
          autoComplete="off"
        />
      </Field>
      <datalist id="zones">
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
