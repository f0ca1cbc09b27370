import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { MonitoredJobsView } from "@/api/schema";
import { Chart, type Series } from "@/components/charts/chart";
import { Legend } from "@/components/charts/legend";
import { Panel } from "@/components/ui/panel";
import { absolute } from "@/lib/times";
import { compact } from "./compact";
import { flowOf, type Sample, sampleOf, withSample } from "./samples";
import { tickOf } from "./ticks";

const SERIES: Series[] = [
  { key: "rate", label: "runs/min", colour: "var(--accent)", as: "line" },
  { key: "queued", label: "queued", colour: "var(--queued)", as: "area" },
  { key: "running", label: "running", colour: "var(--running)", as: "line" },
];
const KEY = ["samples"];

/** Throughput and queue depth since one opened the portal, as it happens. */
export function FlowChart({ numbers }: { numbers: MonitoredJobsView | undefined }) {
  const samples = useSamples(numbers);
  const points = flowOf(samples);
  const last = points.at(-1);
  const rate = last?.rate ?? null;
  return (
    <Panel
      title="Throughput and queue depth"
      actions={<span className="text-xs text-muted">{rate === null ? "" : `${words(rate)} runs/min`}</span>}
    >
      {points.length < 2 ? (
        <p className="flex h-52 items-center justify-center text-sm text-muted">Collecting data…</p>
      ) : (
        <Chart
          label={`Now: ${words(rate ?? 0)} runs per minute, ${last?.queued ?? 0} queued, ${last?.running ?? 0} running`}
          points={points.map((point) => ({ ...point }))}
          series={SERIES}
          tick={tickOf(points[0]?.at ?? 0, last?.at ?? 0)}
          title={(at) => absolute(at)}
          value={words}
          short={compact}
        />
      )}
      <div className="mt-2">
        <Legend series={SERIES} />
      </div>
    </Panel>
  );
}

const words = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 1 : 0 });

/** Kept with the project's other data, so that they are still there when one comes back to the page. */
function useSamples(numbers: MonitoredJobsView | undefined): Sample[] {
  const client = useQueryClient();
  const [samples, setSamples] = useState<Sample[]>(() => client.getQueryData(KEY) ?? []);
  useEffect(() => {
    if (!numbers) return;
    setSamples((before) => {
      const next = withSample(before, sampleOf(numbers));
      client.setQueryData(KEY, next);
      return next;
    });
  }, [numbers, client]);
  return samples;
}
