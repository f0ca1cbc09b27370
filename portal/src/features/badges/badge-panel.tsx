import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import type { BadgeView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { ErrorState } from "@/components/ui/error-state";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { Panel } from "@/components/ui/panel";
import { SkeletonLines } from "@/components/ui/skeleton";
import { confirm } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";
import { useCan } from "@/session/use-can";

interface BadgePanelProps {
  kind: "job" | "ping";
  /** Its id. */
  subject: string;
}

/** Badges that show how a job or a ping is doing, for READMEs and wikis. */
export function BadgePanel({ kind, subject }: BadgePanelProps) {
  const may = useCan()("badges:write");
  const [making, setMaking] = useState(false);
  const badges = useQuery({
    queryKey: ["badges", "list", { kind, subject }],
    queryFn: ({ signal }) => call("GET /badges", { query: { kind, subject, limit: 50 }, signal }),
  });
  const items = badges.data?.items;
  return (
    <Panel
      title="Badges"
      actions={
        may ? (
          <Button size="sm" onClick={() => setMaking(true)}>
            <Plus /> New badge
          </Button>
        ) : null
      }
    >
      {badges.error && !items ? <ErrorState error={badges.error} onRetry={() => void badges.refetch()} /> : null}
      {!items && !badges.error ? <SkeletonLines lines={1} /> : null}
      {items?.length === 0 ? (
        <p className="text-sm text-muted">
          A badge shows the state of this {kind} in a README or wiki, at a URL that needs no account.
        </p>
      ) : null}
      <ul aria-label="Badges" className="-my-1 divide-y divide-line">
        {items?.map((badge) => (
          <li key={badge.id} className="py-1.5">
            <OneBadge badge={badge} may={may} />
          </li>
        ))}
      </ul>
      {making ? <NewBadge kind={kind} subject={subject} onClose={() => setMaking(false)} /> : null}
    </Panel>
  );
}

function OneBadge({ badge, may }: { badge: BadgeView; may: boolean }) {
  const client = useQueryClient();
  const remove = async () => {
    const sure = await confirm({
      title: "Delete this badge?",
      text: "Its URL stops working wherever it is shown. This cannot be undone.",
      action: "Delete",
      danger: true,
    });
    if (!sure) return;
    try {
      await call("DELETE /badges/{id}", { path: { id: badge.id } });
      toast("Deleted the badge");
    } catch (error) {
      toastError("Could not delete the badge", error);
    }
    void client.invalidateQueries({ queryKey: ["badges"] });
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      {badge.url ? (
        <>
          {/* By its path: the page shows only images of its own server, regardless of its public address. */}
          <img src={new URL(badge.url, location.origin).pathname} alt={badge.label ?? "badge"} className="h-5" />
          <span className="ml-auto flex items-center gap-1">
            <span className="text-xs text-muted">URL</span>
            <CopyButton text={badge.url} label="Copy badge URL" />
            {badge.markdown ? (
              <>
                <span className="text-xs text-muted">Markdown</span>
                <CopyButton text={badge.markdown} label="Copy Markdown" />
              </>
            ) : null}
          </span>
        </>
      ) : (
        <span className="text-sm text-muted">{badge.label ?? "badge"}: its URL cannot be decrypted</span>
      )}
      {may ? (
        <Button variant="ghost" size="icon-sm" aria-label="Delete badge" onClick={() => void remove()}>
          <Trash2 />
        </Button>
      ) : null}
    </div>
  );
}

function NewBadge({ kind, subject, onClose }: BadgePanelProps & { onClose: () => void }) {
  const client = useQueryClient();
  return (
    <FormDialog
      title="New badge"
      description="Anyone who knows its URL sees the label and the state, and nothing else."
      action="Create badge"
      onClose={onClose}
      onSubmit={async (text) => {
        const label = text("label").trim();
        await call("POST /badges", { body: { kind, subject, ...(label ? { label } : {}) } });
        void client.invalidateQueries({ queryKey: ["badges"] });
        toast("Created a badge");
        onClose();
      }}
    >
      {(error) => (
        <Field
          label="Label"
          optional
          hint={`Shows the name of the ${kind} by default.`}
          error={fieldError(error, "label")}
        >
          <Input name="label" maxLength={100} autoComplete="off" />
        </Field>
      )}
    </FormDialog>
  );
}
