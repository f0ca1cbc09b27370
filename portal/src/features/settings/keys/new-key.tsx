import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import type { Body } from "@/api/request";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { useCan } from "@/session/use-can";
import { inDays } from "../in-days";
import { Once } from "../once";
import { upTo } from "../roles";
import { usePlace } from "../use-place";

const DAYS = [
  { value: "30", label: "After 30 days" },
  { value: "90", label: "After 90 days" },
  { value: "365", label: "After a year" },
  { value: "", label: "Never" },
];

export function NewKey({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const can = useCan();
  const place = usePlace();
  const role = can("users:write") ? "admin" : place.role; // admins are admins in every project
  const [made, setMade] = useState<{ name: string; token: string }>();
  if (made) {
    return (
      <Once
        title={`The key ${made.name}`}
        text="Store it somewhere safe. It will not be shown again."
        value={made.token}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title="New API key"
      description="Keys outlive your account. Revoke this one when it is no longer needed."
      action="Create key"
      onClose={onClose}
      onSubmit={async (text) => {
        const given = { name: text("name").trim(), role: text("role") } as Body<"POST /api-keys">;
        const days = text("days");
        const body = days ? { ...given, expires_at: inDays(Number(days)) } : given;
        setMade(await call("POST /api-keys", { body }));
        void client.invalidateQueries({ queryKey: ["keys"] });
      }}
    >
      {(error) => (
        <>
          <Field label="Name" hint="For example: deploy, grafana." error={fieldError(error, "name")}>
            <Input name="name" required maxLength={100} autoComplete="off" />
          </Field>
          <Field
            label="Role"
            hint="Grant only what it needs. Cannot exceed your own role."
            error={fieldError(error, "role")}
          >
            <Select name="role" choices={upTo(role)} defaultValue="viewer" className="block w-40" />
          </Field>
          <Field label="Expires" error={fieldError(error, "expires_at")}>
            <Select name="days" choices={DAYS} defaultValue="90" className="block w-40" />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
