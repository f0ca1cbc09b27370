import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CircleCheck, TriangleAlert } from "lucide-react";
import { useEffect, useRef } from "react";
import { call } from "@/api/client";
import { messageOf } from "@/api/errors";
import type { ChannelView, DeliveryView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Spinner } from "@/components/ui/spinner";
import { Time } from "@/components/ui/time";
import { useDelivery } from "./queries";

interface TestDialogProps {
  channel: ChannelView;
  installation: boolean;
  onClose: () => void;
}

/** Sends a test message, and shows its outcome. */
export function TestDialog({ channel, installation, onClose }: TestDialogProps) {
  const client = useQueryClient();
  const query = installation ? { installation } : {};
  const send = useMutation({ mutationFn: () => call("POST /channels/{id}/test", { path: { id: channel.id }, query }) });
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return; // effects may come twice, a message must not
    begun.current = true;
    send.mutate();
  }, [send]);
  const found = useDelivery(channel.id, installation, send.data?.id).data ?? send.data;
  const close = () => {
    void client.invalidateQueries({ queryKey: ["channels"] });
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={close}
      title={`Test ${channel.name}`}
      description={`Sends a test message to ${channel.address || "this channel"}. Its rules do not apply.`}
      footer={
        <>
          {found && found.state !== "pending" ? <Button onClick={() => send.mutate()}>Send again</Button> : null}
          <Button variant="primary" onClick={close}>
            Close
          </Button>
        </>
      }
    >
      <div aria-live="polite" className="min-h-12 text-sm">
        {send.error ? <Bad text={messageOf(send.error)} /> : <Became delivery={found} />}
      </div>
    </Dialog>
  );
}

function Became({ delivery }: { delivery: DeliveryView | undefined }) {
  if (delivery?.state === "sent") {
    return (
      <p className="flex items-start gap-2">
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-succeeded" />
        <span>
          Delivered <Time at={delivery.finished_at} />.
        </span>
      </p>
    );
  }
  if (delivery?.state === "failed") return <Bad text={`Failed: ${delivery.last_error ?? "no reason was given"}`} />;
  if (delivery?.last_error) {
    return (
      <>
        <Bad text={`Failed: ${delivery.last_error}`} />
        <p className="mt-1 pl-6 text-xs text-muted">
          Next try <Time at={delivery.due_at} />.
        </p>
      </>
    );
  }
  return (
    <p className="flex items-center gap-2 text-muted">
      <Spinner /> Waiting for a scheduler to send it…
    </p>
  );
}

function Bad({ text }: { text: string }) {
  return (
    <p className="flex items-start gap-2 text-failed-text">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 break-words">{text}</span>
    </p>
  );
}
