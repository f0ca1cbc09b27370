import { BellOff, BellRing, Check } from "lucide-react";
import { Link } from "react-router";
import type { AlertView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { ServerText } from "@/components/ui/server-text";
import { Time } from "@/components/ui/time";
import { Tooltip } from "@/components/ui/tooltip";
import { Care, useSilenced } from "./care";
import { Door } from "./door";
import { SeverityIcon } from "./severity";

interface AlertRowProps {
  alert: AlertView;
  mayCare: boolean;
  onAcknowledge: () => void;
  onSilence: () => void;
  onUnsilence: () => void;
}

export function AlertRow({ alert, mayCare, ...verbs }: AlertRowProps) {
  const open = alert.state === "open";
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-2 sm:flex-nowrap">
      <SeverityIcon severity={alert.severity} className="mt-0.5" />
      <div className="min-w-0 flex-1 basis-64">
        <Link to={`/alerts/${alert.id}`} className="rounded font-medium break-words hover:text-accent hover:underline">
          {alert.title}
        </Link>
        <p className="mt-0.5 line-clamp-2 break-words text-soft">
          <ServerText text={alert.why} />
        </p>
        <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
          <span>
            began <Time at={alert.since} />
          </span>
          {alert.cleared_at ? (
            <span>
              · cleared <Time at={alert.cleared_at} />
            </span>
          ) : null}
          {alert.project === null ? <span>· whole installation</span> : null}
          <Care alert={alert} />
          {alert.note ? <span className="min-w-0 break-words">“{alert.note}”</span> : null}
        </p>
      </div>
      <div className="flex shrink-0 flex-wrap items-center gap-1.5 pl-7 sm:pl-0">
        {open ? <Door alert={alert} /> : null}
        {open && mayCare ? <CareButtons alert={alert} {...verbs} /> : null}
      </div>
    </div>
  );
}

type CareButtonsProps = Omit<AlertRowProps, "mayCare">;

function CareButtons({ alert, onAcknowledge, onSilence, onUnsilence }: CareButtonsProps) {
  const silenced = useSilenced(alert);
  return (
    <>
      {alert.acknowledged_at ? null : (
        <Button size="sm" aria-label={`Acknowledge: ${alert.title}`} onClick={onAcknowledge}>
          <Check /> Acknowledge
        </Button>
      )}
      <Tooltip content={silenced ? "Unsilence" : "Silence"}>
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label={`${silenced ? "Unsilence" : "Silence"}: ${alert.title}`}
          onClick={silenced ? onUnsilence : onSilence}
        >
          {silenced ? <BellRing /> : <BellOff />}
        </Button>
      </Tooltip>
    </>
  );
}
