import { useQueryClient } from "@tanstack/react-query";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import type { FunctionView } from "@/api/schema";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input, Textarea } from "@/components/ui/input";
import { toast } from "@/lib/toasts";
import { NOUN } from "./queries";

/** A function's display name and description; workers do not overwrite them. */
export function EditFunction({ one, onClose }: { one: FunctionView; onClose: () => void }) {
  const client = useQueryClient();
  const save = async (text: (name: string) => string) => {
    const body = {
      display_name: text("display_name").trim(),
      description: text("description").replaceAll("\r\n", "\n"),
    };
    const saved = await call("PATCH /task-functions/{name}", { path: { name: one.name }, body });
    client.setQueryData([NOUN, "one", one.name], saved);
    void client.invalidateQueries({ queryKey: [NOUN] });
    toast(`Saved ${one.name}`);
    onClose();
  };
  return (
    <FormDialog
      title={`Describe ${one.name}`}
      description="Shown in the function picker. Overrides what the code says."
      action="Save"
      onClose={onClose}
      onSubmit={save}
    >
      {(error) => (
        <>
          <Field label="Display name" error={fieldError(error, "display_name")}>
            <Input name="display_name" required maxLength={200} defaultValue={one.display_name} />
          </Field>
          <Field label="Description" optional error={fieldError(error, "description")}>
            <Textarea name="description" rows={6} maxLength={10_000} defaultValue={one.description} />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
