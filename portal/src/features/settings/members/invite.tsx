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
        text="The first person to open this link joins the project. It will not be shown again."
        value={link}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title="Invite someone"
      description="Creates a one-time invite link. New users create their account with it."
      action="Create link"
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
          <Field label="Valid for" error={fieldError(error, "expires_at")}>
            <Select name="days" choices={DAYS} defaultValue="7" className="block w-40" />
          </Field>
          <Field label="Note" optional hint="A reminder of who it is for." error={fieldError(error, "note")}>
            <Input name="note" maxLength={200} autoComplete="off" />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
