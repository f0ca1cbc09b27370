import type { ColumnDef } from "@tanstack/react-table";
import { BellRing, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import type { ChannelView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { Segments } from "@/components/ui/segments";
import { useUrlState } from "@/lib/url-state";
import { useCan } from "@/session/use-can";
import { ChannelActions } from "./channel-actions";
import { ChannelForm } from "./channel-form";
import { DeliveriesSheet } from "./deliveries-sheet";
import { LastDelivery } from "./delivery-state";
import { kindLabel } from "./kinds";
import { ruleWords } from "./model";
import type { Opened } from "./opened";
import { useChannels } from "./queries";
import { TestDialog } from "./test-dialog";

const SCOPES = [
  { value: "project", label: "This project" },
  { value: "installation", label: "Installation" },
];

export function ChannelsSection() {
  const can = useCan();
  const [{ scope, cursor }, setUrl] = useUrlState({ scope: "project", cursor: "" });
  const installation = scope === "installation" && can("users:write");
  const channels = useChannels(installation, cursor);
  const [open, setOpen] = useState<Opened>(null);
  const columns = useMemo(() => columnsOf(installation, setOpen), [installation]);
  const close = () => setOpen(null);
  const make = can("channels:write") ? (
    <Button variant="primary" onClick={() => setOpen({ what: "form" })}>
      <Plus /> New channel
    </Button>
  ) : null;
  return (
    <>
      <PageHeader
        title="Channels"
        description={
          installation
            ? "Where alerts about the installation itself are sent."
            : "Where people are notified of failures, recoveries and alerts."
        }
        actions={make}
      />
      {can("users:write") ? (
        <div className="mb-3">
          <Segments label="Channels of" choices={SCOPES} value={scope} onValue={(next) => setUrl({ scope: next })} />
        </div>
      ) : null}
      <div className="rounded-lg border border-line bg-surface">
        <DataTable
          caption="Channels"
          columns={columns}
          list={channels}
          rowId={(channel) => channel.id}
          empty={
            <EmptyState icon={BellRing} title="No channels yet" action={make}>
              A channel sends a message to Slack, by e-mail, to a webhook or to an on-call service when a run fails or
              an alert opens.
            </EmptyState>
          }
        />
      </div>
      <Pager nextCursor={channels.data?.next_cursor} />
      {open?.what === "form" ? (
        <ChannelForm channel={open.channel} installation={installation} onClose={close} />
      ) : null}
      {open?.what === "test" && open.channel ? (
        <TestDialog channel={open.channel} installation={installation} onClose={close} />
      ) : null}
      {open?.what === "log" && open.channel ? (
        <DeliveriesSheet channel={open.channel} installation={installation} onClose={close} />
      ) : null}
    </>
  );
}

function columnsOf(installation: boolean, onOpen: (opened: Opened) => void): ColumnDef<ChannelView>[] {
  return [
    {
      id: "name",
      header: "Name",
      meta: { className: "max-w-40 min-w-28 sm:max-w-56" },
      cell: ({ row: { original: channel } }) => (
        <div className="min-w-0">
          <span className="flex items-center gap-1.5">
            <span className="truncate font-medium" title={channel.name}>
              {channel.name}
            </span>
            {channel.enabled ? null : <Badge tone="cancelled">disabled</Badge>}
            {channel.unreadable ? <Badge tone="failed">unreadable</Badge> : null}
          </span>
          <span className="block truncate text-xs text-muted" title={channel.unreadable ?? channel.address}>
            {channel.unreadable ?? `${kindLabel(channel.kind)} · ${channel.address}`}
          </span>
        </div>
      ),
    },
    {
      id: "gets",
      header: "Gets",
      meta: { className: "hidden max-w-64 min-w-44 lg:table-cell" },
      cell: ({ row: { original: channel } }) => <span className="text-soft">{ruleWords(channel)}</span>,
    },
    {
      id: "last",
      header: "Last delivery",
      meta: { className: "max-w-36 sm:max-w-64" },
      cell: ({ row: { original: channel } }) => <LastDelivery channel={channel} />,
    },
    {
      id: "actions",
      header: () => <span className="sr-only">Actions</span>,
      meta: { className: "w-10 pl-0 sm:w-48" },
      cell: ({ row: { original: channel } }) => (
        <ChannelActions channel={channel} installation={installation} onOpen={onOpen} />
      ),
    },
  ];
}
