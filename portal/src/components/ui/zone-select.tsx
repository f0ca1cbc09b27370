import { type ComponentProps, useMemo } from "react";
import { Select } from "./select";

interface ZoneSelectProps extends Omit<ComponentProps<typeof Select>, "choices"> {
  value: string;
  /** The label of the empty value; without it, that cannot be chosen. */
  none?: string;
}

/** All time zones that the browser knows, and the selected one. */
export function ZoneSelect({ value, none, ...props }: ZoneSelectProps) {
  const choices = useMemo(() => {
    const known = new Set(["UTC", ...Intl.supportedValuesOf("timeZone")]);
    if (value !== "") known.add(value);
    const zones = [...known].sort().map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }));
    return none === undefined ? zones : [{ value: "", label: none }, ...zones];
  }, [value, none]);
  return <Select {...props} value={value} choices={choices} />;
}
