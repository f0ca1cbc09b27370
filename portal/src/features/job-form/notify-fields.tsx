import { Link } from "react-router";
import { CheckField } from "@/components/ui/check-field";
import { Fold } from "@/components/ui/fold";
import { useChannels } from "@/features/channels/queries";
import type { FormErrors } from "./form-errors";

interface NotifyFieldsProps {
  notify: string[];
  onNotify: (notify: string[]) => void;
  errors: FormErrors;
}

/** Channels that are notified about the job, regardless of their own rules about jobs and tags. */
export function NotifyFields({ notify, onNotify, errors }: NotifyFieldsProps) {
  const channels = useChannels(false);
  const known = channels.data?.items.map((channel) => channel.name) ?? [];
  const names = [...new Set([...known, ...notify])];
  const wrong = errors.under("notify");
  return (
    <Fold title="Notify" summary={notify.join(", ") || "as the channels' rules say"} needed={wrong !== undefined}>
      <p className="text-sm text-muted">
        These channels are notified about this job even if their rules name other jobs or tags.{" "}
        <Link to="/settings/channels" className="rounded text-accent underline">
          Channels
        </Link>
      </p>
      {channels.data && names.length === 0 ? (
        <p className="text-sm text-muted">This project has no channels yet.</p>
      ) : null}
      <fieldset className="space-y-2">
        <legend className="sr-only">Channels to notify</legend>
        {names.map((name) => (
          <CheckField
            key={name}
            label={name}
            hint={channels.data && !channels.data.next_cursor && !known.includes(name) ? "no such channel" : undefined}
            checked={notify.includes(name)}
            onChecked={(on) => onNotify(names.filter((one) => (one === name ? on : notify.includes(one))))}
          />
        ))}
      </fieldset>
      {wrong ? (
        <p role="alert" className="text-xs text-danger">
          {wrong}
        </p>
      ) : null}
    </Fold>
  );
}
