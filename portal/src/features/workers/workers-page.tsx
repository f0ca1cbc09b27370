import { PageHeader } from "@/components/ui/page-header";
import { TabPanel, Tabs } from "@/components/ui/tabs";
import { QueuesTab } from "@/features/queues/queues-tab";
import { SchedulersTab } from "@/features/schedulers/schedulers-tab";
import { useUrlState } from "@/lib/url-state";
import { IsolationTab } from "./isolation-tab";
import { WorkersTab } from "./workers-tab";

const TABS = [
  { value: "workers", label: "Workers" },
  { value: "queues", label: "Queues" },
  { value: "schedulers", label: "Schedulers" },
  { value: "isolation", label: "Isolation" },
];

export default function WorkersPage() {
  const [{ tab }, set] = useUrlState({ tab: "workers" });
  const open = TABS.some(({ value }) => value === tab) ? tab : "workers";
  return (
    <>
      <PageHeader
        title="Workers"
        description="Workers execute runs, schedulers fire them, queues hold what is waiting."
      />
      <Tabs label="Processes" tabs={TABS} value={open} onValue={(next) => set({ tab: next }, { push: true })}>
        <TabPanel value="workers">
          <WorkersTab />
        </TabPanel>
        <TabPanel value="queues">
          <QueuesTab />
        </TabPanel>
        <TabPanel value="schedulers">
          <SchedulersTab />
        </TabPanel>
        <TabPanel value="isolation">
          <IsolationTab />
        </TabPanel>
      </Tabs>
    </>
  );
}
