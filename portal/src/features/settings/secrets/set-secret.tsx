import { useQueryClient } from "@tanstack/react-query";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input, Textarea } from "@/components/ui/input";
import { toast } from "@/lib/toasts";

interface SetSecretProps {
  /** The one to replace; without it, a new one. */
  name?: string;
  onClose: () => void;
}

export function SetSecret({ name, onClose }: SetSecretProps) {
  const client = useQueryClient();
  return (
    <FormDialog
      title={name ? `Replace ${name}` : "New secret"}
      description="Used by runs from now on. It cannot be read back."
      action={name ? "Replace" : "Set"}
      onClose={onClose}
      onSubmit={async (text) => {
        const given = name ?? text("name").trim();
        await call("PUT /secrets/{name}", {
          path: { name: given },
          body: { value: text("value").replaceAll("\r\n", "\n") },
        });
        void client.invalidateQueries({ queryKey: ["secrets"] });
        toast(`${name ? "Replaced" : "Set"} ${given}`);
        onClose();
      }}
    >
      {(error) => (
        <>
          {name ? null : (
            <Field label="Name" hint="Letters, digits and _, such as API_TOKEN." error={fieldError(error, "name")}>
              <Input
                name="name"
                required
                maxLength={100}
                pattern="[A-Za-z_][A-Za-z0-9_]*"
                autoComplete="off"
                spellCheck={false}
                className="font-mono"
              />
            </Field>
          )}
          <Field label="Value" error={fieldError(error, "value")}>
            <Textarea name="value" required autoComplete="off" spellCheck={false} className="font-mono text-xs" />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
