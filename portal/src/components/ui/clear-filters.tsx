import { Button } from "./button";

interface ClearFiltersProps<Name extends string> {
  filters: Record<Name, string>;
  /** The parameters that filter the list; order, page and view are unchanged. */
  names: readonly Name[];
  onChange: (change: Partial<Record<Name, null>>) => void;
}

/** Shown while a filter is set. */
export function ClearFilters<Name extends string>({ filters, names, onChange }: ClearFiltersProps<Name>) {
  if (names.every((name) => filters[name] === "")) return null;
  const nothing = Object.fromEntries(names.map((name) => [name, null])) as Partial<Record<Name, null>>;
  return (
    <Button variant="ghost" onClick={() => onChange(nothing)}>
      Clear
    </Button>
  );
}
