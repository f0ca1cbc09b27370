import type { JobView, VersionView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { Panel } from "@/components/ui/panel";
import { SkeletonLines } from "@/components/ui/skeleton";
import { useUrlState } from "@/lib/url-state";
import { useVersions } from "../queries";
import { Comparison } from "./comparison";
import { VersionRow } from "./version-row";

/** Every definition it had, what differs between any two, and the way back. */
export function VersionsTab({ job }: { job: JobView }) {
  const query = useVersions(job.id);
  const [chosen, set] = useUrlState({ from: "", to: "" });
  if (query.error && !query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonLines lines={6} />;
  const versions = query.data.pages.flatMap((page) => page.items);
  const { from, to } = pair(versions, chosen);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <Panel title="Versions">
        <ol className="-m-2 space-y-0.5">
          {versions.map((version) => (
            <VersionRow
              key={version.version}
              version={version}
              current={version.version === job.version}
              shown={version === to}
              onShow={() => set({ to: String(version.version), from: null })}
            />
          ))}
        </ol>
        {query.hasNextPage ? (
          <Button size="sm" variant="ghost" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Older ones
          </Button>
        ) : null}
      </Panel>
      {from && to ? <Comparison job={job} versions={versions} from={from} to={to} onPick={set} /> : null}
    </div>
  );
}

/** The two that are compared: those that were chosen, else the newest with the one before it. */
function pair(versions: VersionView[], chosen: { from: string; to: string }) {
  const find = (given: string) => versions.find((version) => String(version.version) === given);
  const to = find(chosen.to) ?? versions[0];
  const from = find(chosen.from) ?? versions.find((one) => to && one.version < to.version) ?? to;
  return { from, to };
}
