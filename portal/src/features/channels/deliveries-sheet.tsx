import { Inbox } from "lucide-react";
import type { ChannelView, DeliveryView } from "@/api/schema";
import { Sheet } from "@/components/ui/dialog";
import { EmptyState } from "@/components/ui/empty-state";
import { ErrorState } from "@/components/ui/error-state";
import { SkeletonLines } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { plural, said } from "@/lib/words";
import { DeliveryState } from "./delivery-state";
import { useDeliveries } from "./queries";

interface DeliveriesSheetProps {
  channel: ChannelView;
  installation: boolean;
  onClose: () => void;
}

/** The delivery log of a channel, newest first. */
export function DeliveriesSheet({ channel, installation, onClose }: DeliveriesSheetProps) {
  const log = useDeliveries(channel.id, installation);
  const items = log.data?.items;
  return (
    <Sheet
      open
      onOpenChange={onClose}
      title={`Deliveries of ${channel.name}`}
      description={log.data?.next_cursor ? "The last 50 messages." : undefined}
    >
      {log.error && !items ? <ErrorState error={log.error} onRetry={() => void log.refetch()} /> : null}
      {!items && !log.error ? <SkeletonLines lines={6} /> : null}
      {items?.length === 0 ? (
        <EmptyState icon={Inbox} title="Nothing sent yet">
          Send a test message to see whether it arrives.
        </EmptyState>
      ) : null}
      <ul aria-label="Deliveries" className="divide-y divide-line text-sm">
        {items?.map((delivery) => (
          <li key={delivery.id} className="py-2.5">
            <Delivery delivery={delivery} />
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

function Delivery({ delivery }: { delivery: DeliveryView }) {
  const waits = delivery.state === "pending";
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <DeliveryState delivery={delivery} />
        <span className="min-w-0 font-medium break-words">{delivery.title}</span>
      </p>
      <p className="mt-1 flex flex-wrap gap-x-1.5 text-xs text-muted">
        <span>
          {said(delivery.kind)} · <Time at={delivery.finished_at ?? delivery.created_at} />
        </span>
        {delivery.notices > 1 ? <span>· {plural(delivery.notices, "notice")}</span> : null}
        {delivery.tries > 0 ? <span>· {plural(delivery.tries, "try", "tries")}</span> : null}
        {waits ? (
          <span>
            · next <Time at={delivery.due_at} />
          </span>
        ) : null}
      </p>
      {delivery.last_error ? <p className="mt-1 text-xs break-words text-failed-text">{delivery.last_error}</p> : null}
    </>
  );
}
