import { Info, type LucideIcon, OctagonAlert, TriangleAlert } from "lucide-react";
import type { AlertView } from "@/api/schema";
import type { Tone } from "@/components/ui/badge";
import { cn } from "@/lib/cn";

export type Severity = AlertView["severity"];

/** A shape for each, not a colour alone. */
const LOOKS: Record<Severity, { icon: LucideIcon; tone: Tone; colour: string }> = {
  critical: { icon: OctagonAlert, tone: "failed", colour: "text-failed" },
  warning: { icon: TriangleAlert, tone: "paused", colour: "text-paused" },
  info: { icon: Info, tone: "neutral", colour: "text-muted" },
};

export const SEVERITIES = Object.keys(LOOKS) as Severity[];

export function severityTone(severity: Severity): Tone {
  return LOOKS[severity].tone;
}

export function SeverityIcon({ severity, className }: { severity: Severity; className?: string }) {
  const { icon: Icon, colour } = LOOKS[severity];
  return <Icon role="img" aria-label={severity} className={cn("size-4 shrink-0", colour, className)} />;
}
