import { History, SquareArrowOutUpRight } from "lucide-react";
import { Link } from "react-router";
import type { JobView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { CodeEditor } from "@/components/ui/code-editor";
import { PageHeader } from "@/components/ui/page-header";
import { Panel } from "@/components/ui/panel";
import { UnreadableBanner } from "@/features/job/unreadable-banner";
import { toYaml } from "@/lib/yaml";
import { definitionOf } from "./model/draft";

/** Instead of a form, which would overwrite the stored definition: why it is unreadable, and its readable part. */
export function UnreadableJob({ job }: { job: JobView }) {
  return (
    <>
      <PageHeader
        title={job.name}
        description="This job cannot be edited or copied here."
        actions={
          <>
            <Button asChild>
              <Link to={`/jobs/${job.id}`}>
                <SquareArrowOutUpRight /> Open job
              </Link>
            </Button>
            <Button variant="primary" asChild>
              <Link to={`/jobs/${job.id}?tab=versions`}>
                <History /> Earlier versions
              </Link>
            </Button>
          </>
        }
      />
      <UnreadableBanner job={job} />
      <Panel title="What can be read of it">
        <CodeEditor readOnly language="text" aria-label="Definition" value={toYaml(definitionOf(job)).trimEnd()} />
      </Panel>
    </>
  );
}
