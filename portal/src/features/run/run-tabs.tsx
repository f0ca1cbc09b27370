import type { UseQueryResult } from "@tanstack/react-query";
import type { AttemptViewListing, RunDetailView } from "@/api/schema";
import { TabPanel, Tabs } from "@/components/ui/tabs";
import { isLive } from "@/features/runs/run-verbs";
import { useUrlState } from "@/lib/url-state";
import { RunLog } from "./log/run-log";
import type { RunLogState } from "./log/use-run-log";
import { RunAttempts } from "./run-attempts";
import { RunData } from "./run-data";
import { RunWhy } from "./run-why";

interface RunTabsProps {
  run: RunDetailView;
  attempts: UseQueryResult<AttemptViewListing>;
  log: RunLogState;
}

const TABS = [
  { value: "log", label: "Log" },
  { value: "data", label: "Input and result" },
  { value: "attempts", label: "Attempts" },
  { value: "why", label: "Why" },
];

export function RunTabs({ run, attempts, log }: RunTabsProps) {
  // What never ran wrote nothing: why is the question.
  const first = run.status === "skipped" ? "why" : "log";
  const [{ tab }, setUrl] = useUrlState({ tab: "" });
  const tabs = run.status === "skipped" ? TABS.filter((one) => one.value !== "log") : TABS;
  return (
    <Tabs
      value={tab || first}
      onValue={(value) => setUrl({ tab: value === first ? null : value })}
      tabs={tabs}
      label="Run"
    >
      <TabPanel value="log">
        <RunLog
          id={run.id}
          log={log}
          live={isLive(run.status)}
          failed={run.status === "failed"}
          waiting={run.status === "queued"}
        />
      </TabPanel>
      <TabPanel value="data">
        <RunData run={run} />
      </TabPanel>
      <TabPanel value="attempts">
        <RunAttempts run={run} attempts={attempts} />
      </TabPanel>
      <TabPanel value="why">
        <RunWhy id={run.id} />
      </TabPanel>
    </Tabs>
  );
}
