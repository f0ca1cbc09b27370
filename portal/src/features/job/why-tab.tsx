import { CircleCheck, CircleHelp, CircleX, Info } from "lucide-react";
import type { GateView, JobView } from "@/api/schema";
import { CopyButton } from "@/components/ui/copy-button";
import { ErrorState } from "@/components/ui/error-state";
import { Panel } from "@/components/ui/panel";
import { SkeletonLines } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { titled } from "@/lib/words";
import { useExplanation } from "./queries";
import { zoneOf } from "./zone";

const LOOKS = {
  open: { icon: CircleCheck, colour: "text-succeeded", words: "open" },
  closed: { icon: CircleX, colour: "text-failed", words: "closed" },
  unknown: { icon: CircleHelp, colour: "text-paused", words: "unknown" },
  info: { icon: Info, colour: "text-muted", words: "for information" },
};

/** Why it does or does not run: what is in the way, gate by gate. */
export function WhyTab({ job }: { job: JobView }) {
  const why = useExplanation(job.id);
  if (why.error && !why.data) return <ErrorState error={why.error} onRetry={() => void why.refetch()} />;
  if (!why.data) return <SkeletonLines lines={8} />;
  return (
    <Panel title="Why it does or does not run" actions={<At at={why.data.at} />}>
      <p className="text-base font-medium">{why.data.summary}</p>
      <ol className="mt-4 divide-y divide-line border-t border-line">
        {why.data.gates.map((gate) => (
          <Gate key={gate.name} gate={gate} zone={zoneOf(job)} />
        ))}
      </ol>
    </Panel>
  );
}

function At({ at }: { at: string }) {
  return (
    <span className="self-center text-xs text-muted">
      as of <Time at={at} />
    </span>
  );
}

function Gate({ gate, zone }: { gate: GateView; zone: string | undefined }) {
  const { icon: Icon, colour, words } = LOOKS[gate.state];
  return (
    <li className="flex gap-3 py-2.5 text-sm">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${colour}`} />
      <div className="min-w-0 flex-1">
        <p className="break-words">
          <span className="font-medium">{titled(gate.name)}</span>
          <span className="sr-only"> ({words})</span>
          <span className="text-soft">: {gate.detail}</span>
        </p>
        {gate.unblock ? (
          <p className="mt-1 flex items-center gap-1 text-xs break-words text-muted">
            To open it: {gate.unblock} <CopyButton text={gate.unblock} label="Copy what opens it" />
          </p>
        ) : null}
        {gate.until ? (
          <p className="mt-1 text-xs text-muted">
            Opens by itself <Time at={gate.until} zone={zone} />
          </p>
        ) : null}
      </div>
    </li>
  );
}
