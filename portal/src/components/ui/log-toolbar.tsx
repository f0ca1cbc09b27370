import { ArrowDownToLine, ChevronDown, ChevronUp } from "lucide-react";
import type { ReactNode } from "react";
import type { Shown } from "@/lib/log-view";
import { Button } from "./button";
import { Input } from "./input";
import { Select } from "./select";

interface LogToolbarProps {
  shown: Shown;
  onShown: (change: Partial<Shown>) => void;
  attempts: number;
  hits: number;
  at: number;
  onStep: (by: number) => void;
  follow: boolean;
  onFollow: (follow: boolean) => void;
  actions: ReactNode;
}

const STREAMS = [
  { value: "", label: "All streams" },
  { value: "stdout", label: "stdout" },
  { value: "stderr", label: "stderr" },
  { value: "system", label: "system" },
];

export function LogToolbar(props: LogToolbarProps) {
  const { shown, onShown, attempts, hits, onStep, follow } = props;
  const choices = Array.from({ length: attempts }, (_, n) => ({ value: String(n + 1), label: `Attempt ${n + 1}` }));
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line p-2">
      <Input
        type="search"
        aria-label="Search log"
        placeholder="Search log"
        data-page-search
        value={shown.text}
        onChange={(event) => onShown({ text: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
        }}
        className="w-40 flex-1 sm:max-w-64"
      />
      {shown.text === "" ? null : (
        <span className="flex items-center">
          <span role="status" className="min-w-14 px-1 text-xs text-muted">
            {hits === 0 ? "none" : `${props.at + 1} of ${hits.toLocaleString("en-US")}`}
          </span>
          <Button
            variant="ghost"
            size="icon-sm"
            aria-label="Previous match"
            disabled={!hits}
            onClick={() => onStep(-1)}
          >
            <ChevronUp />
          </Button>
          <Button variant="ghost" size="icon-sm" aria-label="Next match" disabled={!hits} onClick={() => onStep(1)}>
            <ChevronDown />
          </Button>
        </span>
      )}
      <Select aria-label="Stream" choices={STREAMS} value={shown.stream} onValue={(stream) => onShown({ stream })} />
      {attempts > 1 ? (
        <Select
          aria-label="Attempt"
          choices={[{ value: "0", label: "All attempts" }, ...choices]}
          value={String(shown.attempt)}
          onValue={(attempt) => onShown({ attempt: Number(attempt) })}
        />
      ) : null}
      <span className="ml-auto flex items-center gap-1">
        <Button
          size="sm"
          variant={follow ? "primary" : "secondary"}
          aria-pressed={follow}
          onClick={() => props.onFollow(!follow)}
        >
          <ArrowDownToLine /> Follow
        </Button>
        {props.actions}
      </span>
    </div>
  );
}
