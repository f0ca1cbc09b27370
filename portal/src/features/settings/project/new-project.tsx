import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { basename } from "@/session/project-path";

export function NewProject({ onClose }: { onClose: () => void }) {
  return (
    <FormDialog
      title="New project"
      description="Starts empty, with no members. As an admin you have access and can invite people."
      action="Create project"
      onClose={onClose}
      onSubmit={async (text) => {
        const name = text("name").trim();
        const body = { slug: text("slug").trim(), ...(name ? { name } : {}) };
        const made = await call("POST /projects", { body });
        location.assign(`${basename(made.slug)}/settings/members`);
      }}
    >
      {(error) => (
        <>
          <Field
            label="Slug"
            hint="Lowercase letters, digits and -. Used in URLs; cannot be changed."
            error={fieldError(error, "slug")}
          >
            <Input name="slug" required maxLength={100} autoComplete="off" autoCapitalize="none" />
          </Field>
          <Field label="Name" optional error={fieldError(error, "name")}>
            <Input name="name" maxLength={200} autoComplete="off" />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
