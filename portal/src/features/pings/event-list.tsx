import { useState } from "react";
import type { PingEventView, PingView } from "@/api/schema";
import { Badge, type Tone } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { Panel } from "@/components/ui/panel";
import { SkeletonLines } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { bytes, duration } from "@/lib/durations";
import { said } from "@/lib/words";
import { usePingEvent, usePingEvents } from "./queries";

const TONES: Record<string, Tone> = {
  success: "succeeded",
  start: "running",
  fail: "failed",
  late: "paused",
  overrun: "paused",
};

const KEPT = 10_000; // bytes of a body, from its end

/** A ping's signals, and missed deadlines. */
export function EventList({ ping }: { ping: PingView }) {
  const events = usePingEvents(ping.id);
  const items = events.data?.items;
  return (
    <Panel title="Events">
      {events.error && !items ? <ErrorState error={events.error} onRetry={() => void events.refetch()} /> : null}
      {!items && !events.error ? <SkeletonLines lines={4} /> : null}
      {items?.length === 0 ? <p className="text-sm text-muted">No signals yet.</p> : null}
      <ul aria-label="Events" className="-my-1 divide-y divide-line text-sm">
        {items?.map((event) => (
          <li key={event.n} className="py-2">
            <PingEvent ping={ping} event={event} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function PingEvent({ ping, event }: { ping: PingView; event: PingEventView }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={TONES[event.kind] ?? "neutral"}>{said(event.kind)}</Badge>
        {event.exit_code === null ? null : <span className="text-xs">exit code {event.exit_code}</span>}
        {event.duration_ms === null ? null : <span className="text-xs">took {duration(event.duration_ms)}</span>}
        <span className="text-xs text-muted">
          <Time at={event.at} as="exact" />
        </span>
        {event.address ? <span className="text-xs text-muted">from {event.address}</span> : null}
        {event.agent ? (
          <span className="max-w-48 truncate text-xs text-muted" title={event.agent}>
            {event.agent}
          </span>
        ) : null}
        {event.body_bytes ? (
          <Button variant="link" size="sm" className="h-5 px-0" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide" : "Show"} {event.body_bytes > KEPT ? "the end of " : ""}
            {bytes(event.body_bytes)}
          </Button>
        ) : null}
      </div>
      {open ? <Body ping={ping} n={event.n} /> : null}
    </>
  );
}

function Body({ ping, n }: { ping: PingView; n: number }) {
  const event = usePingEvent(ping.id, n);
  if (event.error) return <ErrorState error={event.error} onRetry={() => void event.refetch()} />;
  if (!event.data) return <SkeletonLines lines={2} />;
  return (
    <>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
        tabIndex={0}
        className="mt-2 max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {event.data.body}
      </pre>
      {event.data.truncated ? <p className="mt-1 text-xs text-muted">Only the end was kept.</p> : null}
    </>
  );
}
