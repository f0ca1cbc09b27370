import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ColumnDef } from "@tanstack/react-table";
import { UserMinus, UserPlus } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import type { MemberView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { Select } from "@/components/ui/select";
import { Time } from "@/components/ui/time";
import { Tooltip } from "@/components/ui/tooltip";
import { ask } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";
import { useUrlState } from "@/lib/url-state";
import { useCan } from "@/session/use-can";
import { leftBehind, REVOKE_KEYS } from "../left";
import { isBelow, ROLE_CHOICES, type Role } from "../roles";
import { usePlace } from "../use-place";
import { Invitations } from "./invitations";
import { Invite } from "./invite";

export function MembersSection() {
  const { slug } = usePlace();
  const can = useCan();
  const [{ cursor }] = useUrlState({ cursor: "" });
  const [inviting, setInviting] = useState(false);
  const query = { limit: 50, ...(cursor ? { cursor } : {}) };
  const members = useQuery({
    queryKey: ["members", "list", slug, query],
    queryFn: ({ signal }) => call("GET /projects/{id}/members", { path: { id: slug }, query, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader
        title="Members"
        description="People with access to this project, and their roles."
        actions={
          can("members:write") ? (
            <Button variant="primary" onClick={() => setInviting(true)}>
              <UserPlus /> Invite
            </Button>
          ) : null
        }
      />
      <div className="rounded-lg border border-line bg-surface">
        <DataTable
          caption="Members"
          columns={COLUMNS}
          list={members}
          rowId={(member) => member.user_id}
          empty={
            <EmptyState icon={UserPlus} title="No members yet">
              Invite someone with a link. Admins have access either way.
            </EmptyState>
          }
        />
      </div>
      <Pager nextCursor={members.data?.next_cursor} />
      <Invitations slug={slug} />
      {inviting ? <Invite slug={slug} onClose={() => setInviting(false)} /> : null}
    </>
  );
}

const COLUMNS: ColumnDef<MemberView>[] = [
  {
    id: "name",
    header: "Name",
    meta: { className: "max-w-48 min-w-28" },
    cell: ({ row: { original: member } }) => (
      <span className="flex items-center gap-2">
        <span className="truncate font-medium">{member.username}</span>
        {member.is_active ? null : <Badge tone="paused">disabled</Badge>}
      </span>
    ),
  },
  { id: "role", header: "Role", cell: ({ row: { original: member } }) => <RoleOf member={member} /> },
  {
    id: "since",
    header: "Since",
    meta: { className: "hidden sm:table-cell" },
    cell: ({ row: { original: member } }) => (
      <span className="text-muted">
        <Time at={member.created_at} />, by {member.created_by}
      </span>
    ),
  },
  {
    id: "actions",
    header: () => <span className="sr-only">Actions</span>,
    meta: { className: "w-10 pl-0" },
    cell: ({ row: { original: member } }) => <Remove member={member} />,
  },
];

function RoleOf({ member }: { member: MemberView }) {
  const can = useCan();
  const { slug } = usePlace();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ role, revoke }: { role: Role; revoke: boolean }) =>
      call("PUT /projects/{id}/members/{user}", {
        path: { id: slug, user: member.user_id },
        query: { revoke_keys: revoke },
        body: { role },
      }),
    onSuccess: (left, { role }) => toast(`${member.username} is now ${role}${leftBehind(left)}`),
    onError: (error) => toastError(`${member.username} stays ${member.role}`, error),
    onSettled: () => client.invalidateQueries({ queryKey: ["members"] }),
  });
  if (!can("members:write")) return <span className="text-soft">{member.role}</span>;
  const choose = async (role: Role) => {
    if (!isBelow(role, member.role)) return change.mutate({ role, revoke: false });
    const { yes, also } = await ask({
      title: `Change the role of ${member.username} to ${role}?`,
      text: "They lose rights within seconds, and open invitations they created are withdrawn. Their API keys keep the role they were created with.",
      action: "Change role",
      also: REVOKE_KEYS,
    });
    if (yes) change.mutate({ role, revoke: also });
  };
  return (
    <Select
      aria-label={`Role of ${member.username}`}
      choices={ROLE_CHOICES}
      value={change.isPending ? change.variables.role : member.role}
      disabled={change.isPending}
      onValue={(role) => void choose(role as Role)}
    />
  );
}

function Remove({ member }: { member: MemberView }) {
  const can = useCan();
  const { slug } = usePlace();
  const client = useQueryClient();
  if (!can("members:write")) return null;
  const remove = async () => {
    const { yes, also } = await ask({
      title: `Remove ${member.username}?`,
      text: "They lose access within seconds, and open invitations they created are withdrawn. Their account stays.",
      action: "Remove",
      danger: true,
      also: REVOKE_KEYS,
    });
    if (!yes) return;
    try {
      const left = await call("DELETE /projects/{id}/members/{user}", {
        path: { id: slug, user: member.user_id },
        query: { revoke_keys: also },
      });
      toast(`Removed ${member.username}${leftBehind(left)}`);
    } catch (error) {
      toastError(`Could not remove ${member.username}`, error);
    }
    void client.invalidateQueries({ queryKey: ["members"] });
  };
  return (
    <Tooltip content="Remove">
      <Button variant="ghost" size="icon-sm" aria-label={`Remove ${member.username}`} onClick={() => void remove()}>
        <UserMinus />
      </Button>
    </Tooltip>
  );
}
