import type { JobView } from "@/api/schema";
import { CodeEditor } from "@/components/ui/code-editor";
import { CopyButton } from "@/components/ui/copy-button";
import { Panel } from "@/components/ui/panel";
import { Segments } from "@/components/ui/segments";
import { BadgePanel } from "@/features/badges/badge-panel";
import { definitionOf } from "@/features/job-form/model/draft";
import { useUrlState } from "@/lib/url-state";
import { toYaml } from "@/lib/yaml";

const FORMATS = [
  { value: "yaml", label: "YAML" },
  { value: "json", label: "JSON" },
];

/** The job as files and programs have it. */
export function DefinitionTab({ job }: { job: JobView }) {
  const [{ as }, set] = useUrlState({ as: "yaml" });
  const definition = definitionOf(job);
  const text = as === "json" ? JSON.stringify(definition, null, 2) : toYaml({ jobs: [definition] });
  return (
    <div className="space-y-4">
      <Panel
        title={`Version ${job.version}`}
        actions={
          <>
            <Segments label="Format" choices={FORMATS} value={as} onValue={(next) => set({ as: next })} />
            <CopyButton text={text} label="Copy definition" />
          </>
        }
      >
        <CodeEditor readOnly language={as === "json" ? "json" : "text"} aria-label="Definition" value={text} />
        <p className="mt-2 text-xs text-muted">
          {job.unreadable ? (
            <>Incomplete: only what this version of Horae can read, with defaults for the rest. Do not apply it.</>
          ) : as === "json" ? (
            <>What POST /api/v1/jobs takes.</>
          ) : (
            <>
              For <code className="font-mono">horae apply</code>: keep it in a file next to your code.
            </>
          )}
        </p>
      </Panel>
      <BadgePanel kind="job" subject={job.id} />
    </div>
  );
}
