import { BellOff, Check } from "lucide-react";
import type { AlertView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Time } from "@/components/ui/time";
import { useFromNow } from "@/lib/now";

/** Who takes care of an alert, and until when it is silenced. */
export function Care({ alert }: { alert: AlertView }) {
  const silenced = useSilenced(alert);
  return (
    <>
      {alert.acknowledged_at ? (
        <Badge>
          <Check aria-hidden /> acknowledged{alert.acknowledged_by ? ` by ${nameOf(alert.acknowledged_by)}` : ""}
        </Badge>
      ) : null}
      {silenced ? (
        <Badge>
          <BellOff aria-hidden /> silenced until <Time at={alert.silenced_until} as="absolute" />
        </Badge>
      ) : null}
    </>
  );
}

export function useSilenced(alert: AlertView): boolean {
  return useFromNow((now) => alert.silenced_until !== null && Date.parse(alert.silenced_until) > now);
}

/** `user:ann` is ann. */
export function nameOf(actor: string): string {
  return actor.replace(/^user:/, "");
}
