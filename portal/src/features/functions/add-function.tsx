import { useQueryClient } from "@tanstack/react-query";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { toast } from "@/lib/toasts";
import { NOUN } from "./queries";

/** Registers a function by its path, without decorating it. */
export function AddFunction({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const save = async (text: (name: string) => string) => {
    const body = { name: text("name").trim(), handler_path: text("handler_path").trim() };
    await call("POST /task-functions", { body });
    void client.invalidateQueries({ queryKey: [NOUN] });
    toast(`Registered ${body.name}`);
    onClose();
  };
  return (
    <FormDialog
      title="Register a function by path"
      description="Any importable function of your own code, without decorating it. Workers import it within seconds."
      action="Register"
      onClose={onClose}
      onSubmit={save}
    >
      {(error) => (
        <>
          <Field label="Path" error={fieldError(error, "handler_path")}>
            <Input name="handler_path" required maxLength={500} placeholder="shop.tasks.send_report" />
          </Field>
          <Field label="Name" error={fieldError(error, "name")}>
            <Input name="name" required maxLength={200} placeholder="send_report" />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
