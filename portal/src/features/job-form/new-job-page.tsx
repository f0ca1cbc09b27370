import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { call } from "@/api/client";
import type { JobBody } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { NotAllowed } from "@/components/ui/not-allowed";
import { PageHeader } from "@/components/ui/page-header";
import { SkeletonLines } from "@/components/ui/skeleton";
import { toast } from "@/lib/toasts";
import { useCan } from "@/session/use-can";
import { FormFrame } from "./form-frame";
import { JobFields } from "./job-fields";
import { definitionOf } from "./model/draft";
import { runOnce } from "./run-once";
import { UnreadableJob } from "./unreadable-job";
import { useJobForm } from "./use-job-form";
import { useLeaveGuard } from "./use-leave-guard";

/** `?from=ID` begins with a copy of that job, `?function=NAME` with a call of that function, `?kind=` with a target. */
export default function NewJobPage() {
  if (useCan()("jobs:write")) return <Allowed />;
  return (
    <>
      <PageHeader title="New job" />
      <NotAllowed />
    </>
  );
}

function Allowed() {
  const [params] = useSearchParams();
  const from = params.get("from");
  const job = useQuery({
    queryKey: ["jobs", "one", from],
    queryFn: ({ signal }) => call("GET /jobs/{id}", { path: { id: from ?? "" }, signal }),
    enabled: from !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (from === null) return <NewJob initial={beginning(params)} />;
  if (job.error) return <ErrorState error={job.error} onRetry={() => void job.refetch()} />;
  if (!job.data) {
    return (
      <>
        <PageHeader title="New job" />
        <SkeletonLines lines={8} />
      </>
    );
  }
  if (job.data.unreadable) return <UnreadableJob job={job.data} />;
  return <NewJob initial={{ ...definitionOf(job.data), name: `${job.data.name}-copy` }} copied={job.data.name} />;
}

function beginning(params: URLSearchParams): unknown {
  const name = params.get("function");
  if (name) return { target: { kind: "python", function: name } };
  return { target: { kind: params.get("kind") ?? "http" } };
}

function NewJob({ initial, copied }: { initial: unknown; copied?: string }) {
  const form = useJobForm(initial);
  const letGo = useLeaveGuard(form.dirty);
  const navigate = useNavigate();
  const client = useQueryClient();
  const can = useCan();
  const create = useMutation({
    mutationFn: ({ body }: { body: JobBody; run: boolean }) => call("POST /jobs", { body }),
    onError: form.setError,
    onSuccess: async (job, { run }) => {
      letGo();
      void client.invalidateQueries({ queryKey: ["jobs"] });
      toast(`Created ${job.name}`);
      await navigate(run ? await runOnce(job.id) : `/jobs/${job.id}`);
    },
  });
  const save = (run: boolean) => {
    const body = form.body();
    if (body) create.mutate({ body, run });
  };
  return (
    <FormFrame
      title="New job"
      description={copied ? `Copy of ${copied}.` : "Choose what to run and when."}
      form={form}
      onSubmit={() => save(false)}
      buttons={
        <>
          <Button variant="ghost" asChild>
            <Link to="/jobs">Cancel</Link>
          </Button>
          {can("jobs:run") ? (
            <Button busy={create.isPending && create.variables.run} onClick={() => save(true)}>
              <Play /> Create and run
            </Button>
          ) : null}
          <Button type="submit" variant="primary" busy={create.isPending && !create.variables.run}>
            Create
          </Button>
        </>
      }
    >
      <JobFields form={form} />
    </FormFrame>
  );
}
