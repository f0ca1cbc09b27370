import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import { fieldError, messageOf } from "@/api/errors";
import type { BackfillPlanView, JobView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { InstantInput } from "@/components/ui/instant-input";
import { useSettled } from "@/features/job-form/queries";
import { absolute } from "@/lib/times";
import { toast } from "@/lib/toasts";
import { plural } from "@/lib/words";
import { tellBegun } from "../queries";
import { clockOf } from "../zone";

const DAY = 86_400_000;

/** Runs the occurrences of a past range; says how many before it does. */
export function BackfillDialog({ job, onClose }: { job: JobView; onClose: () => void }) {
  const zone = clockOf(job);
  const [start, setStart] = useState(() => whole(Date.now() - DAY));
  const [end, setEnd] = useState(() => whole(Date.now()));
  const [parallelism, setParallelism] = useState("1");
  const client = useQueryClient();
  const range = useSettled(JSON.stringify({ start, end }));
  const plan = useQuery({
    queryKey: ["backfill-plans", job.id, range],
    queryFn: async ({ signal }) => {
      const body = { ...(JSON.parse(range) as { start: string; end: string }), dry_run: true };
      return (await call("POST /jobs/{id}/backfill", { path: { id: job.id }, body, signal })) as BackfillPlanView;
    },
    enabled: start !== "" && end !== "",
  });
  const begin = useMutation({
    mutationFn: () =>
      call("POST /jobs/{id}/backfill", {
        path: { id: job.id },
        body: { start, end, parallelism: Number(parallelism), again: Boolean(plan.data?.existing) },
      }),
    onSuccess: (begun) => {
      if ("kind" in begun) tellBegun(client, begun);
      toast(`Started backfilling ${job.name}`);
      onClose();
    },
  });
  const error = begin.error ?? plan.error;
  const told = ["start", "end", "parallelism"].some((name) => fieldError(error, name));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Backfill ${job.name}`}
      description="Runs every occurrence in a past time range, including those that already ran. These runs do not count towards the job's own limit."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!plan.data?.total || plan.isFetching}
            busy={begin.isPending}
            onClick={() => begin.mutate()}
          >
            {plan.data?.total
              ? `Run ${plural(plan.data.total, "occurrence")}${plan.data.existing ? " again" : ""}`
              : "Run"}
          </Button>
        </>
      }
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="From" hint={zone} error={fieldError(error, "start")}>
          <InstantInput value={start} zone={zone} onValue={setStart} />
        </Field>
        <Field label="To" hint={zone} error={fieldError(error, "end")}>
          <InstantInput value={end} zone={zone} onValue={setEnd} />
        </Field>
        <Field
          label="Concurrency"
          hint="Maximum concurrent runs of this backfill."
          error={fieldError(error, "parallelism")}
        >
          <Input inputMode="numeric" value={parallelism} onChange={(event) => setParallelism(event.target.value)} />
        </Field>
      </div>
      <p className="mt-4 text-sm" aria-live="polite">
        {plan.data ? <Plan plan={plan.data} zone={zone} /> : null}
        {error && !told ? <span className="text-danger">{messageOf(error)}</span> : null}
      </p>
    </Dialog>
  );
}

function Plan({ plan, zone }: { plan: BackfillPlanView; zone: string }) {
  if (plan.total === 0) return <span className="text-muted">No occurrences in this range.</span>;
  return (
    <>
      <strong>{plural(plan.total, "occurrence")}</strong>
      {plan.first && plan.last ? (
        <span className="text-muted">
          , from {absolute(plan.first, zone)} to {absolute(plan.last, zone)}
        </span>
      ) : null}
      {plan.existing ? <span className="mt-1 block text-muted">Already backfilled.</span> : null}
    </>
  );
}

/** The minute that an instant lies in. */
function whole(at: number): string {
  return new Date(Math.floor(at / 60_000) * 60_000).toISOString();
}
