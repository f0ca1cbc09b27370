import { Textarea } from "./input";
import { AddRow, RemoveRow } from "./row-buttons";

interface ListEditorProps {
  /** The name of a row: "argument". */
  noun: string;
  rows: string[];
  onRows: (rows: string[]) => void;
}

/** Texts in order. Each may have several lines, as arguments of `sh -c` do. Goes into a Group. */
export function ListEditor({ noun, rows, onRows }: ListEditorProps) {
  return (
    <div className="space-y-1.5">
      {rows.map((row, index) => (
        <div key={`row ${index + 1}`} className="flex items-start gap-1.5">
          <Textarea
            aria-label={`${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${index + 1}`}
            rows={Math.min(8, row.split("\n").length)}
            className="min-h-8 flex-1 resize-y font-mono text-xs"
            value={row}
            onChange={(event) => onRows(rows.map((old, at) => (at === index ? event.target.value : old)))}
          />
          <RemoveRow label={`${noun} ${index + 1}`} onRemove={() => onRows(rows.filter((_, at) => at !== index))} />
        </div>
      ))}
      <AddRow noun={noun} onAdd={() => onRows([...rows, ""])} />
    </div>
  );
}
