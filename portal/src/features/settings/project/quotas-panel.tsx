import { useQuery } from "@tanstack/react-query";
import { SlidersHorizontal, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import type { QuotaView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { Panel } from "@/components/ui/panel";
import { Progress } from "@/components/ui/progress";
import { SkeletonLines } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { cn } from "@/lib/cn";
import { useCan } from "@/session/use-can";
import { amount, level, QUOTAS, type QuotaName, share } from "./quotas";
import { SetQuotas } from "./set-quotas";

const BARS = { ok: "", near: "[&>div]:bg-paused", full: "[&>div]:bg-failed" };

/** What the project may have at most, and what it has. */
export function QuotasPanel({ slug }: { slug: string }) {
  const can = useCan();
  const [setting, setSetting] = useState(false);
  const quotas = useQuery({
    queryKey: ["projects", "one", slug, "quotas"],
    queryFn: ({ signal }) => call("GET /projects/{id}/quotas", { path: { id: slug }, signal }),
  });
  const found = quotas.data;
  return (
    <Panel
      title="Quotas"
      actions={
        found && can("projects:manage") ? (
          <Button size="sm" onClick={() => setSetting(true)}>
            <SlidersHorizontal /> Change
          </Button>
        ) : null
      }
    >
      {quotas.error ? <ErrorState error={quotas.error} onRetry={() => void quotas.refetch()} /> : null}
      {quotas.isPending ? <SkeletonLines lines={6} /> : null}
      {found ? (
        <ul className="space-y-4">
          {QUOTAS.map(({ name, label }) => (
            <li key={name}>
              <Row name={name} label={label} quota={found[name]} />
            </li>
          ))}
        </ul>
      ) : null}
      {setting && found ? <SetQuotas slug={slug} quotas={found} onClose={() => setSetting(false)} /> : null}
    </Panel>
  );
}

function Row({ name, label, quota }: { name: QuotaName; label: string; quota: QuotaView }) {
  const used = share(quota);
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 text-sm">
        <span className="flex items-center gap-2 font-medium">
          {label} <Warning quota={quota} />
        </span>
        <span className="text-soft tabular-nums">
          {quota.used === null ? "not counted" : amount(name, quota.used)}
          <span className="text-muted">{allowed(name, quota.limit)}</span>
        </span>
      </div>
      {used === null ? null : (
        <Progress
          value={used}
          label={`${label}: ${Math.min(Math.round(used * 100), 999)} % used`}
          className={cn("mt-1.5", BARS[level(quota)])}
        />
      )}
      {quota.refused_at ? (
        <p className="mt-1 text-xs text-muted">
          Last refused <Time at={quota.refused_at} />
        </p>
      ) : null}
    </>
  );
}

function allowed(name: QuotaName, limit: number | null): string {
  if (limit === null) return ", no limit";
  return limit === 0 ? ", none allowed" : ` of ${amount(name, limit)}`;
}

function Warning({ quota }: { quota: QuotaView }) {
  const state = level(quota);
  if (state === "ok") return null;
  const over = quota.limit !== null && (quota.used ?? 0) > quota.limit;
  return (
    <Badge tone={state === "near" ? "paused" : "failed"}>
      <TriangleAlert aria-hidden /> {state === "near" ? "nearly used up" : over ? "over the limit" : "used up"}
    </Badge>
  );
}
