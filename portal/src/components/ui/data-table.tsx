import {
  type ColumnDef,
  flexRender,
  getCoreRowModel,
  type Row,
  type RowSelectionState,
  useReactTable,
} from "@tanstack/react-table";
import { ArrowDown, ArrowUp } from "lucide-react";
import { memo, type ReactNode, useMemo } from "react";
import { cn } from "@/lib/cn";
import { useLatest } from "@/lib/use-latest";
import { ErrorState } from "./error-state";
import { selectColumn } from "./select-column";
import { Skeleton } from "./skeleton";
import { Table, Td, Th, Tr } from "./table";

declare module "@tanstack/react-table" {
  interface ColumnMeta<TData, TValue> {
    /** The API's name for sorting by this column. */
    sort?: string;
    className?: string;
  }
}

interface ListQuery<T> {
  data?: { items: T[] };
  error: unknown;
  refetch: () => Promise<unknown>;
}

interface DataTableProps<T> {
  columns: ColumnDef<T>[];
  /** The requested page. */
  list: ListQuery<T>;
  /** The rows; undefined while loading. */
  rows?: T[];
  rowId: (row: T) => string;
  /** The accessible name of a row's checkbox. */
  rowLabel?: (row: T) => string;
  empty: ReactNode;
  caption: string;
  sort?: string;
  onSort?: (sort: string) => void;
  /** Selected ids, across pages; without it there are no checkboxes. */
  selected?: RowSelectionState;
  onSelect?: (selected: RowSelectionState) => void;
}

/** A page of a list that the server sorts, filters and cuts. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { columns, list, empty, caption } = props;
  const rows = props.rows ?? list.data?.items;
  const choosing = props.selected !== undefined && props.onSelect !== undefined;
  const label = useLatest(props.rowLabel);
  const all = useMemo(
    () => (choosing ? [selectColumn<T>((row) => label.current?.(row) ?? "this row"), ...columns] : columns),
    [choosing, columns, label],
  );
  const data = useMemo(() => rows ?? [], [rows]);
  const table = useReactTable<T>({
    data,
    columns: all,
    getRowId: props.rowId,
    getCoreRowModel: getCoreRowModel(),
    manualPagination: true,
    manualSorting: true,
    state: { rowSelection: props.selected ?? {} },
    onRowSelectionChange: (change) => {
      props.onSelect?.(typeof change === "function" ? change(props.selected ?? {}) : change);
    },
  });
  if (list.error && !rows) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  if (rows?.length === 0) return empty;
  return (
    <Table aria-busy={rows === undefined}>
      <caption className="sr-only">{caption}</caption>
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {group.headers.map((header) => (
              <Th
                key={header.id}
                className={header.column.columnDef.meta?.className}
                aria-sort={ariaSort(header.column.columnDef.meta?.sort, props.sort)}
              >
                <SortHead by={header.column.columnDef.meta?.sort} sort={props.sort} onSort={props.onSort}>
                  {flexRender(header.column.columnDef.header, header.getContext())}
                </SortHead>
              </Th>
            ))}
          </tr>
        ))}
      </thead>
      <tbody>
        {rows === undefined ? <LoadingRows columns={table.getAllLeafColumns().length} /> : null}
        {table.getRowModel().rows.map((row) => (
          <OneRow
            key={row.id}
            row={row as unknown as Row<unknown>}
            shown={row.original}
            selected={row.getIsSelected()}
            columns={all}
          />
        ))}
      </tbody>
    </Table>
  );
}

interface OneRowProps {
  row: Row<unknown>;
  // Not read; a change of it re-renders rows, since the table recreates them from the same objects.
  shown: unknown;
  selected: boolean;
  columns: unknown;
}

const OneRow = memo(
  function OneRow({ row, selected }: OneRowProps) {
    return (
      <Tr className={cn(selected && "bg-accent-soft/40")}>
        {row.getVisibleCells().map((cell) => (
          <Td key={cell.id} className={cell.column.columnDef.meta?.className}>
            {flexRender(cell.column.columnDef.cell, cell.getContext())}
          </Td>
        ))}
      </Tr>
    );
  },
  (old, now) => old.shown === now.shown && old.selected === now.selected && old.columns === now.columns,
);

function ariaSort(by: string | undefined, sort: string | undefined) {
  if (!by || !sort) return undefined;
  if (sort === by) return "ascending" as const;
  return sort === `-${by}` ? ("descending" as const) : undefined;
}

interface SortHeadProps {
  by: string | undefined;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
  children: ReactNode;
}

function SortHead({ by, sort, onSort, children }: SortHeadProps) {
  if (!by || !onSort) return children;
  const Arrow = sort === by ? ArrowUp : ArrowDown;
  const active = sort === by || sort === `-${by}`;
  return (
    <button
      type="button"
      onClick={() => onSort(sort === by ? `-${by}` : by)}
      className={cn("inline-flex items-center gap-1 rounded hover:text-text", active && "text-text")}
    >
      {children}
      {active ? <Arrow aria-hidden className="size-3" /> : null}
    </button>
  );
}

function LoadingRows({ columns }: { columns: number }) {
  return Array.from({ length: 8 }, (_, row) => (
    <tr key={`row ${row + 1}`} className="border-b border-line">
      {Array.from({ length: columns }, (_, column) => (
        <Td key={`cell ${column + 1}`}>
          <Skeleton className={column === 0 ? "w-4" : "w-full max-w-32"} />
        </Td>
      ))}
    </tr>
  ));
}
