import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FileDiff } from "lucide-react";
import { useState } from "react";
import { Link, Navigate, useNavigate, useParams } from "react-router";
import { call } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { JobBody, JobView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { NotAllowed } from "@/components/ui/not-allowed";
import { PageHeader } from "@/components/ui/page-header";
import { SkeletonLines } from "@/components/ui/skeleton";
import { mayEdit } from "@/features/job/may-edit";
import { toast } from "@/lib/toasts";
import { useCan } from "@/session/use-can";
import { Conflict } from "./conflict";
import { FormFrame } from "./form-frame";
import { JobFields } from "./job-fields";
import { definitionOf, normal } from "./model/draft";
import { equal } from "./model/merge";
import { Review } from "./review";
import { runOnce } from "./run-once";
import { UnreadableJob } from "./unreadable-job";
import { useJobForm } from "./use-job-form";
import { useLeaveGuard } from "./use-leave-guard";

export default function EditJobPage() {
  const { job: id = "" } = useParams();
  const can = useCan();
  const job = useQuery({
    queryKey: ["jobs", "one", id],
    queryFn: ({ signal }) => call("GET /jobs/{id}", { path: { id }, signal }),
  });
  if (job.data && job.data.id !== id) return <Navigate to={`/jobs/${job.data.id}/edit`} replace />;
  if (job.data?.unreadable) return <UnreadableJob job={job.data} />;
  if (job.data && mayEdit(can, job.data.target?.kind)) return <EditJob key={job.data.id} job={job.data} />;
  return (
    <>
      <PageHeader title="Edit job" />
      {job.data ? <NotAllowed /> : null}
      {job.error && !job.data ? <ErrorState error={job.error} onRetry={() => void job.refetch()} /> : null}
      {job.isPending ? <SkeletonLines lines={8} /> : null}
    </>
  );
}

/** `job` is what the server has now, and may change while one writes; `base` is what the edit began with. */
function EditJob({ job }: { job: JobView }) {
  const [base, setBase] = useState(job);
  const [shown, setShown] = useState<"review" | "conflict" | null>(null);
  const form = useJobForm(definitionOf(base));
  const letGo = useLeaveGuard(form.dirty);
  const navigate = useNavigate();
  const client = useQueryClient();
  const can = useCan();
  const [body, setBody] = useState<JobBody | null>(null);

  const save = useMutation({
    mutationFn: ({ version }: { version: number; run: boolean }) =>
      call("PUT /jobs/{id}", { path: { id: job.id }, body: sent(body, base), version }),
    onError: async (error) => {
      if (error instanceof ApiError && error.status === 412) {
        await client.refetchQueries({ queryKey: ["jobs", "one", job.id] });
        return setShown("conflict");
      }
      setShown(null);
      form.setError(error);
    },
    onSuccess: async (saved, { run }) => {
      letGo();
      client.setQueryData(["jobs", "one", job.id], saved);
      void client.invalidateQueries({ queryKey: ["jobs"] });
      toast(saved.version === base.version ? `Saved ${saved.name}` : `Saved ${saved.name} as version ${saved.version}`);
      await navigate(run ? await runOnce(job.id) : `/jobs/${job.id}`);
    },
  });
  const review = () => {
    const next = form.body();
    setBody(next);
    if (next) setShown("review");
  };
  /** Continues from what someone else saved: with both edits merged, or with theirs only. */
  const rebase = (definition: unknown) => {
    setBase(job);
    form.reset(definition, definitionOf(job));
    setShown(null);
  };
  const stale = job.version !== base.version;
  return (
    <>
      <FormFrame
        title={`Edit ${base.name}`}
        description={`Version ${base.version}. Saving creates a new version; runs already queued keep theirs.`}
        form={form}
        onSubmit={review}
        buttons={
          <>
            <Button variant="ghost" asChild>
              <Link to={`/jobs/${job.id}`}>Cancel</Link>
            </Button>
            <Button type="submit" variant="primary" disabled={!form.dirty}>
              <FileDiff /> Review changes
            </Button>
          </>
        }
      >
        {stale ? (
          <div
            className="mb-4 flex flex-wrap items-center gap-3 rounded-md bg-paused-soft px-3 py-2 text-sm text-paused-text"
            role="status"
          >
            Someone else saved version {job.version} in the meantime.
            <Button
              size="sm"
              onClick={() => {
                setBody(form.body() ?? normal(definitionOf(base)));
                setShown("conflict");
              }}
            >
              See what changed
            </Button>
          </div>
        ) : null}
        <JobFields form={form} job={job.id} />
      </FormFrame>
      {shown === "review" && body ? (
        <Review
          before={normal(definitionOf(base))}
          after={body}
          busy={save.isPending}
          mayRun={can("jobs:run")}
          onSave={(run) => save.mutate({ version: base.version, run })}
          onClose={() => setShown(null)}
        />
      ) : null}
      {shown === "conflict" && body ? (
        <Conflict
          base={base}
          theirs={job}
          mine={body}
          busy={save.isPending}
          onMerge={rebase}
          onOverwrite={() => save.mutate({ version: job.version, run: false })}
          onDiscard={() => rebase(definitionOf(job))}
          onClose={() => setShown(null)}
        />
      ) : null}
    </>
  );
}

/** Whether the job is enabled is not part of a version: it is sent only if the edit changes it. */
function sent(body: JobBody | null, base: JobView): JobBody {
  if (!body) throw new Error("there is nothing to save");
  const { enabled, ...rest } = body;
  return equal(enabled, base.enabled) ? rest : body;
}
