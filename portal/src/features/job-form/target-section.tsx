import { Box, Braces, Code, Globe, Package, Sprout, SquareTerminal, TriangleAlert } from "lucide-react";
import { OptionCards } from "@/components/ui/option-cards";
import { Panel } from "@/components/ui/panel";
import { useWorkers } from "@/features/workers/queries";
import { canBeTaken, missing, needsOf } from "@/features/workers/servable";
import { useCan } from "@/session/use-can";
import type { FormErrors } from "./form-errors";
import { type Draft, type Kind, OTHER_KINDS, writeTarget } from "./model/draft";
import { ArtifactFields } from "./targets/artifact-fields";
import { CeleryFields } from "./targets/celery-fields";
import { ContainerFields } from "./targets/container-fields";
import { HttpFields } from "./targets/http-fields";
import { OtherFields } from "./targets/other-fields";
import { PythonFields } from "./targets/python-fields";
import { ScriptFields } from "./targets/script-fields";

const KINDS = [
  { value: "http", label: "HTTP", hint: "Calls a URL", icon: Globe },
  { value: "script", label: "Script", hint: "bash, Python …", icon: SquareTerminal },
  { value: "python", label: "Python function", hint: "Registered by workers", icon: Code },
  { value: "container", label: "Container", hint: "Docker or Podman", icon: Box },
  { value: "artifact", label: "Artifact", hint: "Verified archive", icon: Package },
  { value: "celery", label: "Celery task", hint: "Of your own app", icon: Sprout },
];
const OTHER = { value: "other", label: "Other", hint: OTHER_KINDS.join(", ") || "As JSON", icon: Braces };

interface TargetSectionProps {
  draft: Draft;
  onKind: (kind: Kind) => void;
  onTarget: (change: object) => void;
  errors: FormErrors;
}

/** What the job runs. */
export function TargetSection({ draft, onKind, onTarget, errors }: TargetSectionProps) {
  const code = useCan()("jobs:code");
  const kinds = OTHER_KINDS.length > 0 || draft.kind === "other" ? [...KINDS, OTHER] : KINDS;
  return (
    <Panel title="Target">
      <div className="space-y-4">
        <OptionCards
          label="Kind of target"
          className="grid-cols-2 sm:grid-cols-3 xl:grid-cols-6"
          options={kinds.map((kind) => ({ ...kind, disabled: !code && kind.value !== "http" }))}
          value={draft.kind}
          onValue={(kind) => onKind(kind as Kind)}
        />
        {code ? null : (
          <p className="text-xs text-muted">
            Targets other than HTTP run code on workers. Only owners can create them.
          </p>
        )}
        <NoWorkerNote draft={draft} />
        {errors.at("target") ? (
          <p role="alert" className="text-xs text-danger">
            {errors.at("target")}
          </p>
        ) : null}
        <Fields draft={draft} onTarget={onTarget} errors={errors} />
      </div>
    </Panel>
  );
}

/** Saving is allowed: a worker may be started later. But a run would wait until then. */
function NoWorkerNote({ draft }: { draft: Draft }) {
  const workers = useWorkers().data?.items;
  const queue = draft.policies.queue.trim() || "default";
  const needs = needsOf(writeTarget(draft));
  if (!workers || needs === "python:" || canBeTaken(workers, queue, needs)) return null;
  return (
    <p role="status" className="flex gap-2 rounded bg-paused-soft px-2.5 py-2 text-xs text-paused-text">
      <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
      <span>{missing(workers, queue, needs)}: runs of this job would wait.</span>
    </p>
  );
}

function Fields({ draft, onTarget, errors }: Omit<TargetSectionProps, "onKind">) {
  switch (draft.kind) {
    case "http":
      return <HttpFields draft={draft.http} onDraft={onTarget} errors={errors} />;
    case "script":
      return <ScriptFields draft={draft.script} onDraft={onTarget} errors={errors} />;
    case "python":
      return <PythonFields draft={draft.python} onDraft={onTarget} errors={errors} />;
    case "container":
      return <ContainerFields draft={draft.container} onDraft={onTarget} errors={errors} />;
    case "artifact":
      return <ArtifactFields draft={draft.artifact} onDraft={onTarget} errors={errors} />;
    case "celery":
      return <CeleryFields draft={draft.celery} onDraft={onTarget} errors={errors} />;
    case "other":
      return <OtherFields draft={draft.other} onDraft={onTarget} errors={errors} />;
  }
}
