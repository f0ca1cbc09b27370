import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { call } from "@/api/client";
import type { ApiError } from "@/api/errors";
import type { ChannelView, NewChannelView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Sheet } from "@/components/ui/dialog";
import { OptionCards } from "@/components/ui/option-cards";
import { Refusal } from "@/components/ui/refusal";
import { TextField } from "@/components/ui/text-field";
import { formErrors } from "@/features/job-form/form-errors";
import { textBinding } from "@/features/job-form/text-binding";
import { Once } from "@/features/settings/once";
import { userZone } from "@/lib/times";
import { toast } from "@/lib/toasts";
import { KIND_CARDS } from "./kinds";
import { type ChannelKind, missingIn, newChannel, readChannel, writeChannel } from "./model";
import { RuleFields } from "./rule-fields";
import { TargetFields } from "./target-fields";

interface ChannelFormProps {
  /** The one that is edited; without it, a new one. */
  channel?: ChannelView;
  installation: boolean;
  onClose: () => void;
}

export function ChannelForm({ channel, installation, onClose }: ChannelFormProps) {
  const id = useId();
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => (channel ? readChannel(channel, userZone()) : newChannel(userZone())));
  const [key, setKey] = useState<string | null>(null);
  const query = installation ? { installation } : {};
  const save = useMutation({
    mutationFn: async (): Promise<ChannelView | NewChannelView> => {
      const body = writeChannel(draft);
      return channel
        ? call("PATCH /channels/{id}", { path: { id: channel.id }, query, body })
        : call("POST /channels", { query, body });
    },
    onSuccess: (saved) => {
      void client.invalidateQueries({ queryKey: ["channels"] });
      toast(channel ? `Saved ${saved.name}` : `Created ${saved.name}`);
      const made = "signing_key" in saved ? saved.signing_key : null;
      if (made) setKey(made);
      else onClose();
    },
  });
  const [missing, setMissing] = useState<ApiError | null>(null);
  const errors = formErrors(missing, save.error);
  const change = (patch: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...patch }));
  const form = { draft, onDraft: change, errors };
  const text = textBinding(form);
  if (key !== null) {
    return (
      <Once
        title={`The signing key of ${draft.name.trim()}`}
        text="The receiver verifies signatures with it. It will not be shown again."
        value={key}
        onClose={onClose}
      />
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = missingIn(draft, channel !== undefined);
    setMissing(found);
    if (!found) save.mutate();
  };
  return (
    <Sheet
      open
      onOpenChange={onClose}
      title={channel ? `Edit ${channel.name}` : "New channel"}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} variant="primary" busy={save.isPending}>
            {channel ? "Save" : "Create channel"}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} noValidate className="space-y-4 pt-1">
        <TextField {...text("name", "name")} label="Name" placeholder="on-call" maxLength={100} autoComplete="off" />
        {channel ? null : (
          <OptionCards
            label="Kind"
            className="sm:grid-cols-2"
            options={KIND_CARDS}
            value={draft.kind}
            onValue={(kind) => change({ kind: kind as ChannelKind, url: "" })}
          />
        )}
        <TargetFields {...form} kept={channel?.has_secret ?? false} />
        <h3 className="border-t border-line pt-4 text-sm font-semibold">What it gets</h3>
        <RuleFields {...form} />
        <Refusal error={save.error} />
        {errors.at("target") || errors.at("") ? (
          <p role="alert" className="text-xs text-danger">
            {errors.at("target") ?? errors.at("")}
          </p>
        ) : null}
      </form>
    </Sheet>
  );
}
