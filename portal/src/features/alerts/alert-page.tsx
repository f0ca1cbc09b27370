import { BellOff, BellRing, Check } from "lucide-react";
import { useState } from "react";
import { Link, useParams } from "react-router";
import type { AlertView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { ErrorState } from "@/components/ui/error-state";
import { KeyValues } from "@/components/ui/key-values";
import { PageHeader } from "@/components/ui/page-header";
import { Panel } from "@/components/ui/panel";
import { ServerText } from "@/components/ui/server-text";
import { SkeletonLines } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { commandIn } from "@/lib/server-text";
import { titled } from "@/lib/words";
import { useAlertVerbs, useMayCare } from "./alert-verbs";
import { nameOf, useSilenced } from "./care";
import { Door } from "./door";
import { NoteForm } from "./note-form";
import { useAlert } from "./queries";
import { ruleWords } from "./rules";
import { SeverityIcon, severityTone } from "./severity";
import { SilenceDialog } from "./silence-dialog";

export default function AlertPage() {
  const id = useParams().alert ?? "";
  const alert = useAlert(id);
  if (alert.data) return <OneAlert key={id} alert={alert.data} />;
  return (
    <>
      <PageHeader title="Alert" />
      {alert.error ? (
        <ErrorState error={alert.error} onRetry={() => void alert.refetch()} />
      ) : (
        <SkeletonLines lines={6} />
      )}
    </>
  );
}

function OneAlert({ alert }: { alert: AlertView }) {
  const open = alert.state === "open";
  const mayCare = useMayCare()(alert) && open;
  const command = commandIn(alert.action.text);
  return (
    <>
      <PageHeader
        title={alert.title}
        aside={<Badges alert={alert} />}
        description={
          <Link to={open ? "/alerts" : "/alerts?state=cleared"} className="rounded hover:text-accent hover:underline">
            {open ? "All open alerts" : "History of alerts"}
          </Link>
        }
        actions={mayCare ? <Actions alert={alert} /> : null}
      />
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <Panel title="Why, and what to do">
          <p className="text-sm break-words">
            <ServerText text={alert.why} />
          </p>
          <p className="mt-3 text-sm break-words">
            <span className="font-medium">Fix:</span> <ServerText text={alert.action.text} />
            {command ? <CopyButton text={command} label="Copy command" /> : null}
          </p>
          <div className="mt-3">
            <Door alert={alert} size="md" />
          </div>
        </Panel>
        <Panel title="Facts">
          <Facts alert={alert} />
          {mayCare ? <NoteForm alert={alert} /> : null}
        </Panel>
      </div>
    </>
  );
}

function Badges({ alert }: { alert: AlertView }) {
  return (
    <>
      <Badge tone={severityTone(alert.severity)}>
        <SeverityIcon severity={alert.severity} className="text-current" /> {alert.severity}
      </Badge>
      <Badge tone={alert.state === "open" ? "neutral" : "succeeded"}>{alert.state}</Badge>
    </>
  );
}

function Actions({ alert }: { alert: AlertView }) {
  const [silencing, setSilencing] = useState(false);
  const { acknowledge, unsilence } = useAlertVerbs();
  const silenced = useSilenced(alert);
  return (
    <>
      {alert.acknowledged_at ? null : (
        <Button variant="primary" onClick={() => void acknowledge(alert)}>
          <Check /> Acknowledge
        </Button>
      )}
      {silenced ? (
        <Button onClick={() => void unsilence(alert)}>
          <BellRing /> Unsilence
        </Button>
      ) : (
        <Button onClick={() => setSilencing(true)}>
          <BellOff /> Silence
        </Button>
      )}
      {silencing ? <SilenceDialog alert={alert} onClose={() => setSilencing(false)} /> : null}
    </>
  );
}

function Facts({ alert }: { alert: AlertView }) {
  const silenced = useSilenced(alert);
  const { subject } = alert;
  return (
    <KeyValues
      items={[
        ["Rule", ruleWords(alert.rule)],
        [titled(subject.kind), <Subject key="subject" subject={subject} />],
        ["Began", <Time key="since" at={alert.since} as="exact" />],
        ["Last seen", alert.state === "open" ? <Time key="seen" at={alert.last_seen_at} /> : null],
        ["Cleared", alert.cleared_at ? <Time key="cleared" at={alert.cleared_at} as="exact" /> : null],
        [
          "Acknowledged",
          alert.acknowledged_at ? (
            <span key="ack">
              <Time at={alert.acknowledged_at} />
              {alert.acknowledged_by ? `, by ${nameOf(alert.acknowledged_by)}` : ""}
            </span>
          ) : null,
        ],
        [
          "Silenced until",
          silenced ? (
            <span key="silenced">
              <Time at={alert.silenced_until} as="exact" />
              {alert.silenced_by ? `, by ${nameOf(alert.silenced_by)}` : ""}
            </span>
          ) : null,
        ],
        ["Note", alert.note],
      ]}
    />
  );
}

const PAGES: Record<string, string> = { job: "/jobs/", ping: "/pings/" };

function Subject({ subject }: { subject: AlertView["subject"] }) {
  const page = PAGES[subject.kind];
  if (!page) return subject.name;
  return (
    <Link to={`${page}${subject.id}`} className="rounded text-accent hover:underline">
      {subject.name}
    </Link>
  );
}
