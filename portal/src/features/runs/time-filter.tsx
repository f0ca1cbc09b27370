import { InstantInput } from "@/components/ui/instant-input";
import { Select } from "@/components/ui/select";
import { userZone } from "@/lib/times";
import { PERIODS } from "./periods";

interface Times {
  period: string;
  since: string;
  until: string;
}

interface TimeFilterProps {
  times: Times;
  onChange: (change: Partial<Record<keyof Times, string | null>>) => void;
}

/** A period up to now, or between two instants in the user's time zone. */
export function TimeFilter({ times, onChange }: TimeFilterProps) {
  // A link with instants in it, from a chart say, needs no word for it.
  const between = times.period === "between" || (times.period === "" && (times.since !== "" || times.until !== ""));
  const set = (change: { since?: string; until?: string }) => {
    const year = Number((change.since ?? change.until ?? "").slice(0, 4));
    if (year !== 0 && (year < 2000 || year > 2100)) return; // being typed
    onChange({ period: "between", ...change });
  };
  return (
    <>
      <Select
        aria-label="Time"
        choices={PERIODS}
        value={between ? "between" : times.period}
        onValue={(period) => onChange({ period, since: null, until: null })}
      />
      {between ? (
        <span className="flex flex-wrap items-center gap-2">
          <InstantInput
            aria-label="Since"
            value={times.since}
            zone={userZone()}
            onValue={(since) => set({ since })}
            className="w-52"
          />
          <span className="text-sm text-muted">to</span>
          <InstantInput
            aria-label="Until"
            value={times.until}
            zone={userZone()}
            onValue={(until) => set({ until })}
            className="w-52"
          />
        </span>
      ) : null}
    </>
  );
}
