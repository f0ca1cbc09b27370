import { Flame } from "lucide-react";
import { useMemo } from "react";
import type { CalendarEntryView } from "@/api/schema";
import { plural } from "@/lib/words";
import { clockOf, dayOf, hottest, wallClock } from "./buckets";
import { dayName } from "./look";

interface HotMinutesProps {
  items: CalendarEntryView[];
  zone: string;
  onOpen: (day: string, hour: number) => void;
}

/** The minutes with the most starts: spreading them makes the queue shorter. */
export function HotMinutes({ items, zone, onOpen }: HotMinutesProps) {
  const clock = useMemo(() => wallClock(zone), [zone]);
  const hot = useMemo(() => hottest(items, 6), [items]);
  if (hot.length === 0) {
    return <p className="text-sm text-muted">No two occurrences fall in the same minute.</p>;
  }
  return (
    <ul className="flex flex-wrap gap-1.5">
      {hot.map(({ at, count }) => {
        const wall = clock(Date.parse(at));
        return (
          <li key={at}>
            <button
              type="button"
              onClick={() => onOpen(dayOf(wall), Math.floor((((wall % 1_440) + 1_440) % 1_440) / 60))}
              className="flex items-center gap-1.5 rounded-md border border-line px-2 py-1 text-xs hover:bg-hover"
            >
              <Flame aria-hidden className="size-3.5 text-paused" />
              {dayName(dayOf(wall))}, {clockOf(wall)}
              <span className="text-muted">{plural(count, "occurrence")}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
