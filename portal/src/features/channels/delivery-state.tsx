import { CircleCheck, CircleX, Clock, RotateCw } from "lucide-react";
import type { ChannelView, DeliveryView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Time } from "@/components/ui/time";

/** The outcome of a message. */
export function DeliveryState({ delivery }: { delivery: DeliveryView }) {
  if (delivery.state === "sent") return <Sent />;
  if (delivery.state === "failed") return <Failed />;
  return delivery.last_error ? <Retrying /> : <Pending />;
}

/** How the most recent delivery of a channel went. */
export function LastDelivery({ channel }: { channel: ChannelView }) {
  const last = channel.last_delivery;
  if (!last) return <span className="text-muted">nothing sent yet</span>;
  return (
    <div className="min-w-0">
      <span className="flex flex-wrap items-center gap-1.5">
        {last.state === "sent" ? <Sent /> : last.state === "failed" ? <Failed /> : <Retrying />}
        <span className="text-xs text-muted">
          <Time at={last.at} />
        </span>
      </span>
      {last.error ? (
        <span className="mt-0.5 block truncate text-xs text-failed-text" title={last.error}>
          {last.error}
        </span>
      ) : null}
    </div>
  );
}

const Sent = () => (
  <Badge tone="succeeded">
    <CircleCheck aria-hidden /> delivered
  </Badge>
);
const Failed = () => (
  <Badge tone="failed">
    <CircleX aria-hidden /> failed
  </Badge>
);
const Retrying = () => (
  <Badge tone="paused">
    <RotateCw aria-hidden /> retrying
  </Badge>
);
const Pending = () => (
  <Badge tone="queued">
    <Clock aria-hidden /> pending
  </Badge>
);
