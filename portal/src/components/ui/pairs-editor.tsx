import { Input, Textarea } from "./input";
import { AddRow, RemoveRow } from "./row-buttons";

export interface Pair {
  name: string;
  value: string;
}

interface PairsEditorProps {
  /** The name of a row: "header". */
  noun: string;
  rows: Pair[];
  onRows: (rows: Pair[]) => void;
  /** Values of several lines. */
  multiline?: boolean;
  /** Names to choose from. */
  suggestions?: string[];
  valuePlaceholder?: string;
  id?: string;
  "aria-invalid"?: boolean;
  "aria-describedby"?: string;
}

/** A table of names and values. Goes into a Group. */
export function PairsEditor(props: PairsEditorProps) {
  const { noun, rows, onRows } = props;
  const change = (at: number, patch: Partial<Pair>) =>
    onRows(rows.map((row, index) => (index === at ? { ...row, ...patch } : row)));
  const list = `${noun.replaceAll(" ", "-")}-names`;
  return (
    <div className="space-y-1.5">
      {rows.map((row, index) => (
        <div key={`row ${index + 1}`} className="flex items-start gap-1.5">
          <Input
            aria-label={`Name of ${noun} ${index + 1}`}
            className="w-2/5 font-mono text-xs"
            placeholder="name"
            value={row.name}
            list={props.suggestions ? list : undefined}
            onChange={(event) => change(index, { name: event.target.value })}
          />
          {props.multiline ? (
            <Textarea
              aria-label={`Value of ${noun} ${index + 1}`}
              rows={Math.min(8, row.value.split("\n").length)}
              className="min-h-8 flex-1 resize-y font-mono text-xs"
              placeholder={props.valuePlaceholder ?? "value"}
              value={row.value}
              onChange={(event) => change(index, { value: event.target.value })}
            />
          ) : (
            <Input
              aria-label={`Value of ${noun} ${index + 1}`}
              className="flex-1 font-mono text-xs"
              placeholder={props.valuePlaceholder ?? "value"}
              value={row.value}
              onChange={(event) => change(index, { value: event.target.value })}
            />
          )}
          <RemoveRow label={`${noun} ${index + 1}`} onRemove={() => onRows(rows.filter((_, at) => at !== index))} />
        </div>
      ))}
      <AddRow noun={noun} id={props.id} onAdd={() => onRows([...rows, { name: "", value: "" }])} />
      {props.suggestions ? (
        <datalist id={list}>
          {props.suggestions.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      ) : null}
    </div>
  );
}
