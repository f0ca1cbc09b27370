import { type ReactNode, useId } from "react";
import { type FormText, useForm } from "@/lib/use-form";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Refusal } from "./refusal";

interface FormDialogProps {
  title: string;
  description?: ReactNode;
  /** The label of the button: a verb. */
  action: string;
  danger?: boolean;
  onClose: () => void;
  /** Gets the values of the fields, by name. Errors are shown, next to their field if they name one. */
  onSubmit: (text: FormText) => Promise<unknown>;
  children: (error: unknown) => ReactNode;
}

/** A few fields in a dialog. Close it in `onSubmit`, or show the result there. */
export function FormDialog({ title, description, action, danger, onClose, onSubmit, children }: FormDialogProps) {
  const id = useId();
  const form = useForm(onSubmit);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} variant={danger ? "danger" : "primary"} busy={form.busy}>
            {action}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={form.onSubmit} className="space-y-4 pt-1">
        {children(form.error)}
        <Refusal error={form.error} />
      </form>
    </Dialog>
  );
}
