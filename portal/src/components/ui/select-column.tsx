import type { ColumnDef } from "@tanstack/react-table";
import { Checkbox } from "./checkbox";

export function selectColumn<T>(label: (row: T) => string = () => "this row"): ColumnDef<T> {
  return {
    id: "select",
    meta: { className: "w-8 pr-0" },
    header: ({ table }) => (
      <Checkbox
        aria-label="Select all on this page"
        checked={table.getIsAllPageRowsSelected()}
        some={table.getIsSomePageRowsSelected()}
        disabled={table.getRowModel().rows.length === 0} // still loading: a click would select nothing
        onChecked={(checked) => table.toggleAllPageRowsSelected(checked)}
      />
    ),
    cell: ({ row }) => (
      <Checkbox
        aria-label={`Select ${label(row.original)}`}
        checked={row.getIsSelected()}
        onChecked={(checked) => row.toggleSelected(checked)}
      />
    ),
  };
}
