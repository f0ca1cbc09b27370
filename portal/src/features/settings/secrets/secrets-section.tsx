import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ColumnDef } from "@tanstack/react-table";
import { Lock, Plus } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import type { SecretView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { Time } from "@/components/ui/time";
import { useUrlState } from "@/lib/url-state";
import { useCan } from "@/session/use-can";
import { SecretActions } from "./secret-actions";
import { SetSecret } from "./set-secret";

export function SecretsSection() {
  const can = useCan();
  const [{ cursor }] = useUrlState({ cursor: "" });
  const [making, setMaking] = useState(false);
  const query = { limit: 50, ...(cursor ? { cursor } : {}) };
  const secrets = useQuery({
    queryKey: ["secrets", "list", query],
    queryFn: ({ signal }) => call("GET /secrets", { query, signal }),
    placeholderData: keepPreviousData,
  });
  const make = can("secrets:write") ? (
    <Button variant="primary" onClick={() => setMaking(true)}>
      <Plus /> New secret
    </Button>
  ) : null;
  return (
    <>
      <PageHeader
        title="Secrets"
        description="Values for jobs to use: encrypted, write-only and redacted from logs."
        actions={make}
      />
      <div className="rounded-lg border border-line bg-surface">
        <DataTable
          caption="Secrets"
          columns={COLUMNS}
          list={secrets}
          rowId={(secret) => secret.name}
          empty={
            <EmptyState icon={Lock} title="No secrets yet" action={make}>
              Create one, then write <code className="font-mono text-xs">{"{{ secrets.NAME }}"}</code> in a job's
              headers, body or environment.
            </EmptyState>
          }
        />
      </div>
      <Pager nextCursor={secrets.data?.next_cursor} />
      {making ? <SetSecret onClose={() => setMaking(false)} /> : null}
    </>
  );
}

const COLUMNS: ColumnDef<SecretView>[] = [
  {
    id: "name",
    header: "Name",
    meta: { className: "max-w-56 min-w-32" },
    cell: ({ row: { original: secret } }) => (
      <span className="flex items-center gap-1">
        <code className="truncate font-mono text-xs font-medium" title={secret.name}>
          {secret.name}
        </code>
        <CopyButton text={`{{ secrets.${secret.name} }}`} label={`Copy the reference to ${secret.name}`} />
      </span>
    ),
  },
  {
    id: "value",
    header: "Value",
    meta: { className: "hidden sm:table-cell" },
    cell: () => <span className="text-muted">never shown</span>,
  },
  {
    id: "changed",
    header: "Changed",
    cell: ({ row: { original: secret } }) => (
      <span className="text-muted">
        <Time at={secret.updated_at} />
        <span className="hidden sm:inline">, by {secret.updated_by}</span>
      </span>
    ),
  },
  {
    id: "made",
    header: "Made",
    meta: { className: "hidden lg:table-cell" },
    cell: ({ row: { original: secret } }) => (
      <span className="text-muted">
        <Time at={secret.created_at} />, by {secret.created_by}
      </span>
    ),
  },
  {
    id: "actions",
    header: () => <span className="sr-only">Actions</span>,
    meta: { className: "w-20 pl-0" },
    cell: ({ row: { original: secret } }) => <SecretActions name={secret.name} />,
  },
];
