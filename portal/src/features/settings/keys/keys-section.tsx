import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ColumnDef } from "@tanstack/react-table";
import { KeyRound, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import type { KeyView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { Time } from "@/components/ui/time";
import { Tooltip } from "@/components/ui/tooltip";
import { confirm } from "@/lib/confirm";
import { useFromNow } from "@/lib/now";
import { toast, toastError } from "@/lib/toasts";
import { useUrlState } from "@/lib/url-state";
import { useCan } from "@/session/use-can";
import { NewKey } from "./new-key";

export function KeysSection() {
  const can = useCan();
  const [{ cursor }] = useUrlState({ cursor: "" });
  const [making, setMaking] = useState(false);
  const query = { limit: 50, ...(cursor ? { cursor } : {}) };
  const keys = useQuery({
    queryKey: ["keys", "list", query],
    queryFn: ({ signal }) => call("GET /api-keys", { query, signal }),
    placeholderData: keepPreviousData,
  });
  const make = can("keys:write") ? (
    <Button variant="primary" onClick={() => setMaking(true)}>
      <Plus /> New key
    </Button>
  ) : null;
  return (
    <>
      <PageHeader title="API keys" description="For programs. Each key has a role in this project." actions={make} />
      <div className="rounded-lg border border-line bg-surface">
        <DataTable
          caption="API keys"
          columns={COLUMNS}
          list={keys}
          rowId={(key) => key.id}
          empty={
            <EmptyState icon={KeyRound} title="No keys yet" action={make}>
              A program sends its key as <code className="font-mono text-xs">Authorization: Bearer …</code>, or has it
              in <code className="font-mono text-xs">HORAE_TOKEN</code>.
            </EmptyState>
          }
        />
      </div>
      <Pager nextCursor={keys.data?.next_cursor} />
      {making ? <NewKey onClose={() => setMaking(false)} /> : null}
    </>
  );
}

const COLUMNS: ColumnDef<KeyView>[] = [
  {
    id: "name",
    header: "Name",
    meta: { className: "max-w-44 min-w-24" },
    cell: ({ row: { original: key } }) => (
      <div className="min-w-0">
        <span className="block truncate font-medium" title={key.name}>
          {key.name}
        </span>
        <code className="block truncate font-mono text-xs text-muted">{key.prefix}…</code>
      </div>
    ),
  },
  { id: "role", header: "Role", cell: ({ row: { original: key } }) => <Badge>{key.role}</Badge> },
  {
    id: "used",
    header: "Last used",
    cell: ({ row: { original: key } }) => <Time at={key.last_used_at} none="never" />,
  },
  {
    id: "expires",
    header: "Expires",
    meta: { className: "hidden sm:table-cell" },
    cell: ({ row: { original: key } }) => <Expiry at={key.expires_at} />,
  },
  {
    id: "made",
    header: "Created",
    meta: { className: "hidden lg:table-cell" },
    cell: ({ row: { original: key } }) => (
      <span className="text-muted">
        <Time at={key.created_at} />, by {key.created_by}
        {key.maker && key.maker !== key.created_by ? ` (${key.maker})` : ""}
      </span>
    ),
  },
  {
    id: "actions",
    header: () => <span className="sr-only">Actions</span>,
    meta: { className: "w-10 pl-0" },
    cell: ({ row: { original: key } }) => <Revoke given={key} />,
  },
];

function Expiry({ at }: { at: string | null }) {
  const over = useFromNow((now) => at !== null && Date.parse(at) <= now);
  return over ? <Badge tone="failed">expired</Badge> : <Time at={at} none="never" />;
}

function Revoke({ given: key }: { given: KeyView }) {
  const can = useCan();
  const client = useQueryClient();
  if (!can("keys:write")) return null;
  const revoke = async () => {
    const sure = await confirm({
      title: `Revoke the key ${key.name}?`,
      text: "Anything using it is rejected within five seconds. This cannot be undone.",
      action: "Revoke",
      danger: true,
    });
    if (!sure) return;
    try {
      await call("DELETE /api-keys/{id}", { path: { id: key.id } });
      toast(`Revoked ${key.name}`);
    } catch (error) {
      toastError(`Could not revoke ${key.name}`, error);
    }
    void client.invalidateQueries({ queryKey: ["keys"] });
  };
  return (
    <Tooltip content="Revoke">
      <Button variant="ghost" size="icon-sm" aria-label={`Revoke ${key.name}`} onClick={() => void revoke()}>
        <Trash2 />
      </Button>
    </Tooltip>
  );
}
