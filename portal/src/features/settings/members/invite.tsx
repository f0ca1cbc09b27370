import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { OptionCards } from "@/components/ui/option-cards";
import { Select } from "@/components/ui/select";
import { inDays } from "../in-days";
import { Once } from "../once";
import { ROLES, type Role } from "../roles";

const DAYS = [
  { value: "1", label: "1 day" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
];

export function Invite({ slug, onClose }: { slug: string; onClose: () => void }) {
  const client = useQueryClient();
  const [role, setRole] = useState<Role>("viewer");
  const [link, setLink] = useState<string>();
  if (link) {
    return (
      <Once
        title="The invitation"
        text="Whoever opens this link first joins the project. It is shown this once."
        value={link}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title="Invite somebody"
      description="You get a link that is good once. Who has no account yet makes one with it."
      action="Make the link"
      onClose={onClose}
      onSubmit={async (text) => {
        const note = text("note").trim();
        const made = await call("POST /projects/{id}/invitations", {
          path: { id: slug },
          body: { role, expires_at: inDays(Number(text("days"))), ...(note ? { note } : {}) },
        });
        void client.invalidateQueries({ queryKey: ["invitations"] });
        setLink(`${location.origin}/join#${encodeURIComponent(made.token)}`);
      }}
    >
      {(error) => (
        <>
          <OptionCards
            label="Role"
            options={ROLES.map(({ value, hint }) => ({ value, hint, label: value }))}
            value={role}
            onValue={(next) => setRole(next as Role)}
            className="sm:grid-cols-2"
          />
          <Field label="Good for" error={fieldError(error, "expires_at")}>
            <Select name="days" choices={DAYS} defaultValue="7" className="block w-40" />
          </Field>
          <Field label="Note" optional hint="For you, to remember whom it was for." error={fieldError(error, "note")}>
            <Input name="note" maxLength={200} autoComplete="off" />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
