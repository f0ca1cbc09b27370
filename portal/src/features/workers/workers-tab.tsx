import { SearchX, Server } from "lucide-react";
import type { WorkerView } from "@/api/schema";
import { EmptyState } from "@/components/ui/empty-state";
import { ErrorState } from "@/components/ui/error-state";
import { Fold } from "@/components/ui/fold";
import { SearchInput } from "@/components/ui/search-input";
import { SkeletonLines } from "@/components/ui/skeleton";
import { useUrlState } from "@/lib/url-state";
import { plural } from "@/lib/words";
import { type Fleet, fleetOf, matches } from "./fleet";
import { useRunsByWorker, useWorkers } from "./queries";
import { WorkerCard } from "./worker-card";

export function WorkersTab() {
  const [{ q }, set] = useUrlState({ q: "" });
  const workers = useWorkers();
  const runs = useRunsByWorker();
  if (workers.error && !workers.data) {
    return <ErrorState error={workers.error} onRetry={() => void workers.refetch()} />;
  }
  if (!workers.data) return <SkeletonLines lines={6} />;
  const fleet = fleetOf(workers.data.items.filter((worker) => matches(worker, q)));
  const nobody = fleet.alive.length === 0;
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <SearchInput
          label="Search by name, host, queue or function"
          value={q}
          onValue={(next) => set({ q: next })}
          className="w-full sm:w-80"
        />
        <Summary fleet={fleet} />
      </div>
      <div className="space-y-3">
        {fleet.alive.map((worker) => (
          <WorkerCard key={worker.id} worker={worker} runs={runs.get(worker.id) ?? []} />
        ))}
        {nobody ? <Nobody sought={q !== ""} /> : null}
        {fleet.offline.length > 0 ? (
          <Gone
            title="Offline"
            summary={`${plural(fleet.offline.length, "worker")} without a heartbeat`}
            workers={fleet.offline}
          />
        ) : null}
        {fleet.stopped.length > 0 ? (
          <Gone
            title="Stopped"
            summary={`${plural(fleet.stopped.length, "worker")} shut down normally`}
            workers={fleet.stopped}
          />
        ) : null}
      </div>
    </>
  );
}

function Gone({ title, summary, workers }: { title: string; summary: string; workers: WorkerView[] }) {
  return (
    <Fold title={title} summary={summary}>
      {workers.map((worker) => (
        <WorkerCard key={worker.id} worker={worker} runs={[]} />
      ))}
    </Fold>
  );
}

function Summary({ fleet }: { fleet: Fleet }) {
  return (
    <p className="text-sm text-muted">
      <strong className="font-medium text-text">{plural(fleet.alive.length, "worker")}</strong> alive ·{" "}
      <strong className="font-medium text-text">
        {fleet.busy} of {fleet.slots}
      </strong>{" "}
      slots in use
      {fleet.draining > 0 ? ` · ${fleet.draining} draining` : ""}
    </p>
  );
}

function Nobody({ sought }: { sought: boolean }) {
  return (
    <div className="rounded-lg border border-line bg-surface">
      {sought ? (
        <EmptyState icon={SearchX} title="No workers match">
          Try another name, host, queue or function.
        </EmptyState>
      ) : (
        <EmptyState icon={Server} title="No live workers">
          Runs wait until one starts. Run <code className="font-mono text-xs">horae worker</code> on any machine with
          access to the database.
        </EmptyState>
      )}
    </div>
  );
}
