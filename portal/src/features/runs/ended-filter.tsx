import { X } from "lucide-react";
import { Button } from "@/components/ui/button";
import { brief, clock } from "@/lib/times";

interface EndedFilterProps {
  since: string;
  until: string;
  onRemove: () => void;
}

/** When runs ended, as a link from a chart asks: shown in place of when they were created, and removed by a click. */
export function EndedFilter({ since, until, onRemove }: EndedFilterProps) {
  const label = `Ended ${[since && `from ${brief(since)}`, until && `to ${end(since, until)}`].filter(Boolean).join(" ")}`;
  return (
    <Button aria-label={`Remove the filter: ${label}`} onClick={onRemove}>
      {label} <X aria-hidden />
    </Button>
  );
}

/** Only the time of day, where the day is the same. */
function end(since: string, until: string): string {
  const [day] = brief(until).split(",");
  return since && brief(since).startsWith(`${day},`) ? clock(until).slice(0, 5) : brief(until);
}
