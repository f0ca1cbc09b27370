import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import type { QuotasView } from "@/api/schema";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { toast } from "@/lib/toasts";
import { changed, limitOf, QUOTAS, type QuotaName } from "./quotas";

interface SetQuotasProps {
  slug: string;
  quotas: QuotasView;
  onClose: () => void;
}

export function SetQuotas({ slug, quotas, onClose }: SetQuotasProps) {
  const client = useQueryClient();
  const [wrong, setWrong] = useState<Partial<Record<QuotaName, string>>>({});
  const save = async (text: (name: string) => string) => {
    const [limits, problems] = read(text);
    setWrong(problems);
    if (Object.keys(problems).length > 0) return;
    const path = { id: slug };
    const found = await call("PATCH /projects/{id}/quotas", { path, body: changed(quotas, limits) });
    client.setQueryData(["projects", "one", slug, "quotas"], found);
    toast("Saved the quotas");
    onClose();
  };
  return (
    <FormDialog
      title={`Quotas of ${slug}`}
      description="Leave a field empty for no limit. A limit below what the project has deletes nothing; it refuses what would be added."
      action="Save"
      onClose={onClose}
      onSubmit={save}
    >
      {(error) =>
        QUOTAS.map(({ name, label, hint }) => (
          <Field key={name} label={label} hint={hint || undefined} error={wrong[name] ?? fieldError(error, name)}>
            <Input
              name={name}
              defaultValue={quotas[name].limit ?? ""}
              onChange={() => setWrong((old) => ({ ...old, [name]: undefined }))}
              inputMode={name === "log_bytes_per_day" ? "text" : "numeric"}
              placeholder="no limit"
              autoComplete="off"
              maxLength={30}
            />
          </Field>
        ))
      }
    </FormDialog>
  );
}

function read(text: (name: string) => string): [Record<QuotaName, number | null>, Partial<Record<QuotaName, string>>] {
  const problems: Partial<Record<QuotaName, string>> = {};
  const limits = Object.fromEntries(
    QUOTAS.map(({ name }) => {
      try {
        return [name, limitOf(name, text(name))];
      } catch (reason) {
        problems[name] = (reason as Error).message;
        return [name, null];
      }
    }),
  ) as Record<QuotaName, number | null>;
  return [limits, problems];
}
