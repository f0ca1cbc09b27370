import { CircleCheck, CircleHelp, CirclePause, CircleX, Clock, Info, type LucideIcon } from "lucide-react";
import type { GateView } from "@/api/schema";
import { CopyButton } from "@/components/ui/copy-button";
import { ServerText } from "@/components/ui/server-text";
import { Time } from "@/components/ui/time";
import { commandIn } from "@/lib/server-text";
import { titled } from "@/lib/words";

type Level = GateView["level"];

// In order of importance. Only what needs a fix is red.
const LOOKS: Record<Level, { icon: LucideIcon; colour: string; words: string }> = {
  problem: { icon: CircleX, colour: "text-failed", words: "problem" },
  warning: { icon: CircleHelp, colour: "text-paused", words: "uncertain" },
  intended: { icon: CirclePause, colour: "text-paused", words: "intended" },
  waiting: { icon: Clock, colour: "text-muted", words: "waiting" },
  ok: { icon: CircleCheck, colour: "text-succeeded", words: "OK" },
  info: { icon: Info, colour: "text-muted", words: "info" },
};
const ORDER = Object.keys(LOOKS) as Level[];

interface ChecksProps {
  gates: GateView[];
  cause: string | null;
  /** The clock of the page, where it is not the reader's. */
  zone?: string | undefined;
  /** The run that this is about: its own id is not a link. */
  run?: string | undefined;
}

/** Everything between a job or a run and its start: the root cause first, then everything else that blocks it. */
export function Checks({ gates, cause, zone, run }: ChecksProps) {
  const rank = (gate: GateView) => (gate.name === cause ? -1 : ORDER.indexOf(gate.level));
  const sorted = gates.toSorted((one, other) => rank(one) - rank(other));
  return (
    <ol className="divide-y divide-line">
      {sorted.map((gate) => (
        <Check key={gate.name} gate={gate} zone={zone} run={run} />
      ))}
    </ol>
  );
}

function Check({ gate, zone, run }: Pick<ChecksProps, "zone" | "run"> & { gate: GateView }) {
  const { icon: Icon, colour, words } = LOOKS[gate.level];
  const command = gate.unblock ? commandIn(gate.unblock) : null;
  const isTrouble = gate.level === "problem" || gate.level === "warning";
  return (
    <li className="flex gap-3 py-2.5 text-sm">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${colour}`} />
      <div className="min-w-0 flex-1">
        <p className="break-words">
          <span className="font-medium">{titled(gate.name)}</span>
          <span className="sr-only"> ({words})</span>
          <span className="text-soft">
            : <ServerText text={gate.detail} own={run} zone={zone} />
          </span>
        </p>
        {gate.unblock ? (
          <p className="mt-1 flex items-start gap-1 text-xs break-words text-muted">
            {isTrouble ? <span className="font-medium">Fix:</span> : null}
            <span className="min-w-0 break-words">
              <ServerText text={isTrouble ? gate.unblock : sentence(gate.unblock)} own={run} zone={zone} />
            </span>
            {command ? (
              <span className="-my-1.5 shrink-0">
                <CopyButton text={command} label="Copy command" />
              </span>
            ) : null}
          </p>
        ) : null}
        {gate.until && gate.state === "closed" ? (
          <p className="mt-1 text-xs text-muted">
            {gate.name === "due" ? "Starts" : "Clears"} <Time at={gate.until} zone={zone} />
          </p>
        ) : null}
      </div>
    </li>
  );
}

/** A suggestion that begins with a command keeps its small letter: it is typed as it stands. */
function sentence(text: string): string {
  return text.startsWith("horae ") ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
