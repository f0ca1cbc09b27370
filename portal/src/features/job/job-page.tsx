import { Navigate, useLocation, useParams } from "react-router";
import { ApiError } from "@/api/errors";
import type { JobView } from "@/api/schema";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { SkeletonLines } from "@/components/ui/skeleton";
import { TabPanel, Tabs } from "@/components/ui/tabs";
import { OpenAlerts } from "@/features/alerts/open-alerts";
import { useUrlState } from "@/lib/url-state";
import { BackfillBanner } from "./backfill-banner";
import { BlockedBanner } from "./blocked-banner";
import { DefinitionTab } from "./definition-tab";
import { JobHeader } from "./job-header";
import { OverviewTab } from "./overview/overview-tab";
import { useJob } from "./queries";
import { RunsTab } from "./runs-tab";
import { UnreadableBanner } from "./unreadable-banner";
import { VersionsTab } from "./versions/versions-tab";
import { WhyTab } from "./why-tab";
import { zoneOf } from "./zone";

const TABS = [
  { value: "overview", label: "Overview" },
  { value: "runs", label: "Runs" },
  { value: "versions", label: "Versions" },
  { value: "why", label: "Why" },
  { value: "definition", label: "Definition" },
];

const DEFAULTS = { tab: "overview", status: "", trigger: "", cursor: "", version: "", from: "", as: "" };

export default function JobPage() {
  const { job: id = "" } = useParams();
  const { search } = useLocation();
  const job = useJob(id);
  // A name leads to the id: that is what live events, links and the history know it by.
  const gone = job.error instanceof ApiError && job.error.status === 404; // cached data is meaningless then
  if (job.data && job.data.id !== id) return <Navigate to={`/jobs/${job.data.id}${search}`} replace />;
  if (job.data && !gone) return <Job key={job.data.id} job={job.data} />;
  return (
    <>
      <PageHeader title="Job" />
      {job.error ? <ErrorState error={job.error} onRetry={() => void job.refetch()} /> : <SkeletonLines lines={8} />}
    </>
  );
}

function Job({ job }: { job: JobView }) {
  const [{ tab }, set] = useUrlState(DEFAULTS);
  // Each tab has its own filters: those of this one are not carried over.
  const open = (next: string) =>
    set({ tab: next, status: null, trigger: null, cursor: null, version: null, from: null, as: null });
  return (
    <>
      <JobHeader job={job} />
      <UnreadableBanner job={job} />
      {tab === "why" || job.unreadable ? null : <BlockedBanner job={job} />}
      <OpenAlerts subject={job.id} own={`/jobs/${job.id}`} zone={zoneOf(job)} />
      <BackfillBanner job={job} />
      <Tabs value={tab} onValue={open} tabs={TABS} label="About the job">
        <TabPanel value="overview">
          <OverviewTab job={job} />
        </TabPanel>
        <TabPanel value="runs">
          <RunsTab job={job} />
        </TabPanel>
        <TabPanel value="versions">
          <VersionsTab job={job} />
        </TabPanel>
        <TabPanel value="why">
          <WhyTab job={job} />
        </TabPanel>
        <TabPanel value="definition">
          <DefinitionTab job={job} />
        </TabPanel>
      </Tabs>
    </>
  );
}
