import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import type { Body } from "@/api/request";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { formErrors } from "@/features/job-form/form-errors";
import { words } from "@/features/job-form/model/target-http";
import { Once } from "@/features/settings/once";
import { toast } from "@/lib/toasts";

const KINDS = [
  { value: "webhook", label: "Webhook" },
  { value: "amqp", label: "RabbitMQ exchange" },
  { value: "redis", label: "Redis stream" },
];
const PLACES = {
  webhook: { label: "URL", field: "url", hint: "Gets signed calls. It is not shown again.", value: "" },
  amqp: { label: "Exchange", field: "exchange", hint: "Of HORAE_EVENTS_AMQP_URL.", value: "horae.events" },
  redis: { label: "Stream", field: "stream", hint: "Of HORAE_EVENTS_REDIS_URL.", value: "horae:events" },
};
type Kind = keyof typeof PLACES;

export function NewSink({ installation, onClose }: { installation: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const [kind, setKind] = useState<Kind>("webhook");
  const [made, setMade] = useState<{ name: string; key: string }>();
  const place = PLACES[kind];
  if (made) {
    return (
      <Once
        title={`The signing key of ${made.name}`}
        text="The receiver verifies signatures with it. It will not be shown again."
        value={made.key}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title="New sink"
      description="It gets what happens from a few seconds later on."
      action="Create sink"
      onClose={onClose}
      onSubmit={async (text) => {
        const target = { kind, [place.field]: text("place").trim() };
        const body = {
          name: text("name").trim(),
          target: kind === "webhook" ? { ...target, batch: Number(text("batch")) } : target,
          types: words(text("types")),
          jobs: words(text("jobs")),
          tags: words(text("tags")),
        } as Body<"POST /sinks">;
        const sink = await call("POST /sinks", { query: installation ? { installation } : {}, body });
        void client.invalidateQueries({ queryKey: ["sinks"] });
        toast(`Created ${sink.name}`);
        if (sink.signing_key) setMade({ name: sink.name, key: sink.signing_key });
        else onClose();
      }}
    >
      {(error) => (
        <>
          <Field label="Name" error={fieldError(error, "name")}>
            <Input name="name" required maxLength={100} autoComplete="off" placeholder="warehouse" />
          </Field>
          {installation ? (
            <Field label="Kind">
              <Select className="block w-56" choices={KINDS} value={kind} onValue={(next) => setKind(next as Kind)} />
            </Field>
          ) : null}
          <Field label={place.label} hint={place.hint} error={fieldError(error, `target.${place.field}`)}>
            <Input key={kind} name="place" required defaultValue={place.value} autoComplete="off" spellCheck={false} />
          </Field>
          {kind === "webhook" ? (
            <Field
              label="Events per call"
              hint="1 sends each separately; more come as a JSON array, up to 500."
              error={fieldError(error, "target.batch")}
            >
              <Input name="batch" type="number" min={1} max={500} required defaultValue={1} className="w-28" />
            </Field>
          ) : null}
          <Field label="Types" hint="Such as run.ended, job.*" error={formErrors(error).under("types")}>
            <Input name="types" required defaultValue="run.*, job.*" autoComplete="off" spellCheck={false} />
          </Field>
          <div className="grid gap-3 sm:grid-cols-2">
            <Field label="Jobs" hint="Only these; * matches any characters." error={formErrors(error).under("jobs")}>
              <Input name="jobs" autoComplete="off" placeholder="sync-*" />
            </Field>
            <Field label="Tags" hint="Only jobs with one of these." error={formErrors(error).under("tags")}>
              <Input name="tags" autoComplete="off" placeholder="finance, etl" />
            </Field>
          </div>
        </>
      )}
    </FormDialog>
  );
}
