import { EllipsisVertical, Pause, Pencil, RefreshCw, StepForward, Trash2 } from "lucide-react";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import type { PingView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { KeyValues } from "@/components/ui/key-values";
import { Menu, MenuItem } from "@/components/ui/menu";
import { PageHeader } from "@/components/ui/page-header";
import { Panel } from "@/components/ui/panel";
import { SkeletonLines } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { OpenAlerts } from "@/features/alerts/open-alerts";
import { BadgePanel } from "@/features/badges/badge-panel";
import { duration, seconds } from "@/lib/durations";
import { useCan } from "@/session/use-can";
import { CallPanel } from "./call-panel";
import { EventList } from "./event-list";
import { PausePing } from "./pause-ping";
import { PingForm } from "./ping-form";
import { PingStateBadge } from "./ping-state";
import { usePingVerbs } from "./ping-verbs";
import { usePing } from "./queries";

export default function PingPage() {
  const id = useParams().ping ?? "";
  const ping = usePing(id);
  if (ping.data) return <OnePing key={id} ping={ping.data} />;
  return (
    <>
      <PageHeader title="Ping" />
      {ping.error ? <ErrorState error={ping.error} onRetry={() => void ping.refetch()} /> : <SkeletonLines lines={8} />}
    </>
  );
}

function OnePing({ ping }: { ping: PingView }) {
  const [open, setOpen] = useState<"form" | "pause" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <PageHeader
        title={ping.name}
        aside={<PingStateBadge ping={ping} />}
        description={ping.unreadable ?? ping.description}
        actions={<Actions ping={ping} onOpen={setOpen} />}
      />
      <OpenAlerts subject={ping.id} own={`/pings/${ping.id}`} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <div className="space-y-4">
          <CallPanel ping={ping} />
          <BadgePanel kind="ping" subject={ping.id} />
        </div>
        <div className="space-y-4">
          <Facts ping={ping} />
          <EventList ping={ping} />
        </div>
      </div>
      {open === "form" ? <PingForm ping={ping} onClose={close} /> : null}
      {open === "pause" ? <PausePing ping={ping} onClose={close} /> : null}
    </>
  );
}

function Actions({ ping, onOpen }: { ping: PingView; onOpen: (what: "form" | "pause") => void }) {
  const can = useCan();
  const navigate = useNavigate();
  const { resume, rotate, remove } = usePingVerbs();
  const erase = async () => {
    if (await remove(ping)) await navigate("/pings");
  };
  return (
    <>
      {can("pings:pause") && !ping.paused ? (
        <Button onClick={() => onOpen("pause")}>
          <Pause /> Pause
        </Button>
      ) : null}
      {can("pings:pause") && ping.paused ? (
        <Button onClick={() => void resume(ping)}>
          <StepForward /> Resume
        </Button>
      ) : null}
      {can("pings:write") ? (
        <>
          {ping.unreadable ? null : (
            <Button onClick={() => onOpen("form")}>
              <Pencil /> Edit
            </Button>
          )}
          <Menu
            trigger={
              <Button size="icon" aria-label="More">
                <EllipsisVertical />
              </Button>
            }
          >
            <MenuItem onSelect={() => void rotate(ping)}>
              <RefreshCw aria-hidden /> Replace URL
            </MenuItem>
            <MenuItem danger onSelect={() => void erase()}>
              <Trash2 aria-hidden /> Delete
            </MenuItem>
          </Menu>
        </>
      ) : null}
    </>
  );
}

function Facts({ ping }: { ping: PingView }) {
  return (
    <Panel title="State">
      <KeyValues
        items={[
          ["Schedule", ping.words],
          ["Grace", seconds(ping.grace)],
          ["Timeout", ping.timeout === null ? null : seconds(ping.timeout)],
          ["Expected", ping.expected_at ? <Time key="expected" at={ping.expected_at} as="exact" /> : null],
          ["Goes down at", ping.deadline_at ? <Time key="by" at={ping.deadline_at} as="exact" /> : null],
          ["Paused until", ping.paused_until ? <Time key="paused" at={ping.paused_until} as="exact" /> : null],
          ["Running since", ping.started_at ? <Time key="started" at={ping.started_at} /> : null],
          ["Last success", <Time key="success" at={ping.last_success_at} none="never" />],
          ["Last failure", <Time key="failure" at={ping.last_failure_at} none="never" />],
          ["Last duration", ping.last_duration_ms === null ? null : duration(ping.last_duration_ms)],
          ["Last exit code", ping.last_exit_code],
        ]}
      />
    </Panel>
  );
}
