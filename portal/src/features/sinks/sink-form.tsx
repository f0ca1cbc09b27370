import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import type { Body } from "@/api/request";
import type { SinkView } from "@/api/schema";
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

type Props = { sink?: SinkView; installation: boolean; onClose: () => void };

/** A new sink, or `sink` to be edited: its kind stays, and a URL that is left empty stays as well. */
export function SinkForm({ sink, installation, onClose }: Props) {
  const client = useQueryClient();
  const [kind, setKind] = useState<Kind>((sink?.kind as Kind | undefined) ?? "webhook");
  const [made, setMade] = useState<{ name: string; key: string }>();
  const place = PLACES[kind];
  const given = (sink?.target ?? {}) as Record<string, string | undefined>;
  const secret = sink !== undefined && kind === "webhook";
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
      title={sink ? `Edit ${sink.name}` : "New sink"}
      description={
        sink ? "Events that wait for it already are still sent." : "It gets what happens from a few seconds later on."
      }
      action={sink ? "Save sink" : "Create sink"}
      onClose={onClose}
      onSubmit={async (text) => {
        const where = text("place").trim();
        const target = { kind, ...(where || !sink ? { [place.field]: where } : {}) };
        const body = {
          name: text("name").trim(),
          target: kind === "webhook" ? { ...target, batch: Number(text("batch")) } : target,
          types: words(text("types")),
          jobs: words(text("jobs")),
          tags: words(text("tags")),
        };
        const query = installation ? { installation } : {};
        const key = sink
          ? void (await call("PATCH /sinks/{id}", { path: { id: sink.id }, query, body }))
          : (await call("POST /sinks", { query, body: body as Body<"POST /sinks"> })).signing_key;
        void client.invalidateQueries({ queryKey: ["sinks"] });
        toast(`${sink ? "Saved" : "Created"} ${body.name}`);
        if (key) setMade({ name: body.name, key });
        else onClose();
      }}
    >
      {(error) => (
        <>
          <Field label="Name" error={fieldError(error, "name")}>
            <Input
              name="name"
              required
              maxLength={100}
              autoComplete="off"
              placeholder="warehouse"
              defaultValue={sink?.name}
            />
          </Field>
          {installation && !sink ? (
            <Field label="Kind">
              <Select className="block w-56" choices={KINDS} value={kind} onValue={(next) => setKind(next as Kind)} />
            </Field>
          ) : null}
          <Field
            label={place.label}
            hint={secret ? `Leave it empty to keep ${sink.address}.` : place.hint}
            error={fieldError(error, `target.${place.field}`)}
          >
            <Input
              key={kind}
              name="place"
              required={!secret}
              defaultValue={given[place.field] ?? place.value}
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
          {kind === "webhook" ? (
            <Field
              label="Events per call"
              hint="1 sends each separately; more come as a JSON array, up to 500."
              error={fieldError(error, "target.batch")}
            >
              <Input
                name="batch"
                type="number"
                min={1}
                max={500}
                required
                defaultValue={given.batch ?? 1}
                className="w-28"
              />
            </Field>
          ) : null}
          <Field label="Types" hint="Such as run.ended, job.*" error={formErrors(error).under("types")}>
            <Input
              name="types"
              required
              defaultValue={sink?.types.join(", ") ?? "run.*, job.*"}
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
          <div className="grid gap-3 sm:grid-cols-2">
            <Field label="Jobs" hint="Only these; * matches any characters." error={formErrors(error).under("jobs")}>
              <Input name="jobs" autoComplete="off" placeholder="sync-*" defaultValue={sink?.jobs.join(", ")} />
            </Field>
            <Field label="Tags" hint="Only jobs with one of these." error={formErrors(error).under("tags")}>
              <Input name="tags" autoComplete="off" placeholder="finance, etl" defaultValue={sink?.tags.join(", ")} />
            </Field>
          </div>
        </>
      )}
    </FormDialog>
  );
}
