import type { JobView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { Panel } from "@/components/ui/panel";
import { SkeletonLines } from "@/components/ui/skeleton";
import { useUrlState } from "@/lib/url-state";
import { useVersion, useVersions } from "../queries";
import { Comparison } from "./comparison";
import { VersionRow } from "./version-row";

/** Every definition it had, what differs between any two, and the way back. */
export function VersionsTab({ job }: { job: JobView }) {
  const query = useVersions(job.id);
  const [chosen, set] = useUrlState({ version: "", from: "" });
  const shown = number(chosen.version) ?? job.version;
  const later = useVersion(job.id, shown, query.data);
  const earlier = useVersion(job.id, number(chosen.from) ?? shown - 1, later.version && query.data);
  if (query.error && !query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonLines lines={6} />;
  const versions = query.data.pages.flatMap((page) => page.items);
  const to = later.version;
  const from = earlier.version ?? (earlier.loading ? undefined : to);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <Panel title="Versions">
        <ol className="-m-2 space-y-0.5">
          {versions.map((version) => (
            <VersionRow
              key={version.version}
              version={version}
              current={version.version === job.version}
              shown={version.version === to?.version}
              onShow={() => set({ version: String(version.version), from: null }, { push: true })}
            />
          ))}
        </ol>
        {query.hasNextPage ? (
          <Button size="sm" variant="ghost" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show older
          </Button>
        ) : null}
      </Panel>
      {from && to ? (
        <Comparison job={job} versions={versions} from={from} to={to} onPick={set} />
      ) : later.error ? (
        <ErrorState error={later.error} />
      ) : (
        <SkeletonLines lines={6} />
      )}
    </div>
  );
}

/** A version that an address names. */
function number(given: string): number | null {
  return /^[1-9]\d{0,8}$/.test(given) ? Number(given) : null;
}
