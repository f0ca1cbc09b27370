import { Button } from "./button";

interface ClearFiltersProps<Name extends string> {
  filters: Record<Name, string>;
  /** Those that narrow the list; order, page and view stay as they are. */
  names: readonly Name[];
  onChange: (change: Partial<Record<Name, null>>) => void;
}

/** Shown once something narrows the list. */
export function ClearFilters<Name extends string>({ filters, names, onChange }: ClearFiltersProps<Name>) {
  if (names.every((name) => filters[name] === "")) return null;
  const nothing = Object.fromEntries(names.map((name) => [name, null])) as Partial<Record<Name, null>>;
  return (
    <Button variant="ghost" onClick={() => onChange(nothing)}>
      Clear
    </Button>
  );
}
