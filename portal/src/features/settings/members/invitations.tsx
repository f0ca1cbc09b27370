import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { InvitationView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { Time } from "@/components/ui/time";
import { confirm } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";
import { useCan } from "@/session/use-can";

/** The newest invitations: open, used or expired. Their links are never shown again. */
export function Invitations({ slug }: { slug: string }) {
  const query = { limit: 50 };
  const invitations = useQuery({
    queryKey: ["invitations", "list", slug, query],
    queryFn: ({ signal }) => call("GET /projects/{id}/invitations", { path: { id: slug }, query, signal }),
  });
  if (invitations.error) return <ErrorState error={invitations.error} onRetry={() => void invitations.refetch()} />;
  const items = invitations.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section className="mt-6">
      <h2 className="mb-2 text-sm font-semibold">Invitations</h2>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {items.map((one) => (
          <Invitation key={one.id} slug={slug} one={one} />
        ))}
      </ul>
    </section>
  );
}

function Invitation({ slug, one }: { slug: string; one: InvitationView }) {
  const can = useCan();
  const client = useQueryClient();
  const waits = one.accepted_at === null && Date.parse(one.expires_at) > Date.now();
  const revoke = async () => {
    const sure = await confirm({
      title: "Revoke this invitation?",
      text: "The link stops working.",
      action: "Revoke",
      danger: true,
    });
    if (!sure) return;
    try {
      await call("DELETE /projects/{id}/invitations/{invitation}", { path: { id: slug, invitation: one.id } });
      toast("Revoked the invitation");
    } catch (error) {
      toastError("Could not revoke the invitation", error);
    }
    void client.invalidateQueries({ queryKey: ["invitations"] });
  };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-sm">
      <Badge tone={waits ? "accent" : "neutral"}>{one.role}</Badge>
      <span className="min-w-0 flex-1 break-words">
        {one.note ?? <span className="text-muted">without a note</span>}
        <span className="block text-xs text-muted">
          by {one.created_by}, <Time at={one.created_at} />
        </span>
      </span>
      <span className="text-xs text-muted">
        {one.accepted_at ? (
          <>
            accepted by {one.accepted_by}, <Time at={one.accepted_at} />
          </>
        ) : (
          <>
            {waits ? "ends" : "ended"} <Time at={one.expires_at} />
          </>
        )}
      </span>
      {waits && can("members:write") ? (
        <Button size="sm" onClick={() => void revoke()} aria-label={`Revoke the invitation ${one.note ?? ""}`}>
          Revoke
        </Button>
      ) : null}
    </li>
  );
}
