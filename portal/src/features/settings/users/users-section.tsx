import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ColumnDef } from "@tanstack/react-table";
import { Plus, Users } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import type { UserView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { Time } from "@/components/ui/time";
import { useUrlState } from "@/lib/url-state";
import { useCan } from "@/session/use-can";
import { NewUser } from "./new-user";
import { UserActions } from "./user-actions";

export function UsersSection() {
  const can = useCan();
  const [{ cursor }] = useUrlState({ cursor: "" });
  const [making, setMaking] = useState(false);
  const query = { limit: 50, ...(cursor ? { cursor } : {}) };
  const users = useQuery({
    queryKey: ["users", "list", query],
    queryFn: ({ signal }) => call("GET /users", { query, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader
        title="Users"
        description="Everyone with an account on this installation."
        actions={
          can("users:write") ? (
            <Button variant="primary" onClick={() => setMaking(true)}>
              <Plus /> New user
            </Button>
          ) : null
        }
      />
      <div className="rounded-lg border border-line bg-surface">
        <DataTable
          caption="Users"
          columns={COLUMNS}
          list={users}
          rowId={(user) => user.id}
          empty={<EmptyState icon={Users} title="No users yet" />}
        />
      </div>
      <Pager nextCursor={users.data?.next_cursor} />
      {making ? <NewUser onClose={() => setMaking(false)} /> : null}
    </>
  );
}

const COLUMNS: ColumnDef<UserView>[] = [
  {
    id: "name",
    header: "Name",
    meta: { className: "max-w-44 min-w-28" },
    cell: ({ row: { original: user } }) => (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <span className="truncate font-medium">{user.username}</span>
        {user.is_admin ? <Badge tone="accent">admin</Badge> : null}
        {user.is_active ? null : <Badge tone="paused">disabled</Badge>}
        {user.second_factor ? <Badge tone="succeeded">2FA</Badge> : null}
      </span>
    ),
  },
  {
    id: "seen",
    header: "Last sign-in",
    cell: ({ row: { original: user } }) => <Time at={user.last_login_at} none="never" />,
  },
  {
    id: "password",
    header: "Password set",
    meta: { className: "hidden md:table-cell" },
    cell: ({ row: { original: user } }) => <Time at={user.password_changed_at} />,
  },
  {
    id: "made",
    header: "Made",
    meta: { className: "hidden lg:table-cell" },
    cell: ({ row: { original: user } }) => (
      <span className="text-muted">
        <Time at={user.created_at} />, by {user.created_by}
      </span>
    ),
  },
  {
    id: "actions",
    header: () => <span className="sr-only">Actions</span>,
    meta: { className: "w-10 pl-0" },
    cell: ({ row: { original: user } }) => <UserActions user={user} />,
  },
];
