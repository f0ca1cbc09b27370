import type { ReactNode } from "react";
import { useFromNow } from "@/lib/now";
import { absolute, brief, countdown, exactly, relative, userZone } from "@/lib/times";
import { Tooltip } from "./tooltip";

interface TimeProps {
  at: string | null | undefined;
  /** The job's zone, shown besides the user's. */
  zone?: string | null;
  /** `relative` (in 5 min), `countdown` (4 min 12 s), `absolute` (14 Jul, 09:00) or `exact` (14 Jul, 09:00:03). */
  as?: "relative" | "countdown" | "absolute" | "exact";
  /** Shown if there is no value. */
  none?: string;
  /** Shown instead of the full instant. */
  exact?: ReactNode;
}

/** An instant in short, with its exact value (in both zones) on hover or focus. */
export function Time({ at, zone, as = "relative", none = "–", exact }: TimeProps) {
  if (!at) return <span className="text-muted">{none}</span>;
  return (
    <Tooltip content={exact ?? <Instant at={at} zone={zone} />}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard gets to the exact instant as well */}
      <time dateTime={at} tabIndex={0} className="rounded whitespace-nowrap">
        <Text at={at} as={as} zone={zone} />
      </time>
    </Tooltip>
  );
}

function Text({ at, as, zone }: { at: string; as: NonNullable<TimeProps["as"]>; zone: TimeProps["zone"] }) {
  const text = useFromNow((now) => {
    if (as === "absolute") return brief(at, zone ?? undefined);
    if (as === "exact") return exactly(at, now, zone ?? undefined);
    return as === "countdown" ? countdown(at, now) : relative(at, now);
  });
  return text;
}

/** The instant in full: the user's zone, the job's, and UTC. */
export function Instant({ at, zone }: { at: string; zone?: string | null }) {
  const own = userZone();
  return (
    <span className="grid gap-0.5">
      <span>{absolute(at)}</span>
      {zone && zone !== own ? (
        <span>
          {absolute(at, zone)} · {zone}
        </span>
      ) : null}
      {own !== "UTC" && zone !== "UTC" ? <span className="opacity-80">{absolute(at, "UTC")}</span> : null}
    </span>
  );
}
