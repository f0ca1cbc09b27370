import { useId } from "react";
import { CodeEditor } from "./code-editor";

interface JsonFieldProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  hint?: string;
  error?: string | null;
}

/** A JSON editor with its error below. */
export function JsonField({ label, value, onValue, hint, error }: JsonFieldProps) {
  const id = useId();
  return (
    <div className="space-y-1">
      <p className="text-sm font-medium">{label}</p>
      <CodeEditor
        language="json"
        value={value}
        onValue={onValue}
        aria-label={label}
        aria-invalid={Boolean(error)}
        aria-describedby={error ? `${id}-error` : undefined}
      />
      {hint ? <p className="text-xs text-muted">{hint}</p> : null}
      {error ? (
        <p id={`${id}-error`} role="alert" className="text-xs break-words text-danger">
          {error}
        </p>
      ) : null}
    </div>
  );
}
