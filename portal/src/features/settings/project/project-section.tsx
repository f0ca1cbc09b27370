import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type FormEvent, useState } from "react";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { KeyValues } from "@/components/ui/key-values";
import { PageHeader } from "@/components/ui/page-header";
import { Panel } from "@/components/ui/panel";
import { Refusal } from "@/components/ui/refusal";
import { SkeletonLines } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { toast } from "@/lib/toasts";
import { enter } from "@/session/session";
import { useCan } from "@/session/use-can";
import { usePlace } from "../use-place";
import { DeleteProject } from "./delete-project";
import { NewProject } from "./new-project";
import { QuotasPanel } from "./quotas-panel";

export function ProjectSection() {
  const place = usePlace();
  const can = useCan();
  const [making, setMaking] = useState(false);
  const project = useQuery({
    queryKey: ["projects", "one", place.slug],
    queryFn: ({ signal }) => call("GET /projects/{id}", { path: { id: place.slug }, signal }),
  });
  return (
    <div className="max-w-2xl">
      <PageHeader
        title="Project"
        description="Each project has its own jobs, runs, secrets and keys."
        actions={
          can("projects:manage") ? (
            <Button onClick={() => setMaking(true)}>
              <Plus /> New project
            </Button>
          ) : null
        }
      />
      {project.error ? <ErrorState error={project.error} onRetry={() => void project.refetch()} /> : null}
      {project.isPending ? <SkeletonLines lines={3} /> : null}
      {project.data ? (
        <div className="space-y-4">
          <Panel>
            {can("projects:edit") ? <Rename slug={place.slug} name={project.data.name} /> : null}
            <KeyValues
              items={[
                ["Name", can("projects:edit") ? null : project.data.name],
                [
                  "Slug",
                  <code key="slug" className="font-mono text-xs">
                    {project.data.slug}
                  </code>,
                ],
                ["Created", <Time key="made" at={project.data.created_at} />],
                ["Your role here", place.role],
              ]}
            />
          </Panel>
          <QuotasPanel slug={place.slug} />
          {can("projects:manage") && place.slug !== "default" ? <DeleteProject slug={place.slug} /> : null}
        </div>
      ) : null}
      {making ? <NewProject onClose={() => setMaking(false)} /> : null}
    </div>
  );
}

function Rename({ slug, name }: { slug: string; name: string }) {
  const [text, setText] = useState(name);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await call("PATCH /projects/{id}", { path: { id: slug }, body: { name: text } });
      setError(null);
      toast(`Renamed the project to ${text}`);
      await enter(slug); // its name is in the head of every page
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void save(event)} className="mb-5 space-y-3">
      <Field label="Name" error={fieldError(error, "name")}>
        <Input value={text} onChange={(event) => setText(event.target.value)} maxLength={200} required />
      </Field>
      <Refusal error={error} />
      <Button type="submit" busy={busy} disabled={text === name || text.trim() === ""}>
        Rename
      </Button>
    </form>
  );
}
