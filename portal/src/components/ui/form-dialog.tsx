import { type FormEvent, type ReactNode, useId, useState } from "react";
import { ApiError, messageOf } from "@/api/errors";
import { Button } from "./button";
import { Dialog } from "./dialog";

interface FormDialogProps {
  title: string;
  description?: ReactNode;
  /** What the button says: a verb. */
  action: string;
  danger?: boolean;
  onClose: () => void;
  /** Takes what the fields say, by their names. What it throws is shown, at the field where it names one. */
  onSubmit: (text: (name: string) => string) => Promise<unknown>;
  children: (error: unknown) => ReactNode;
}

/** A few fields in a dialog. Close it in `onSubmit`, or show there what came of it. */
export function FormDialog({ title, description, action, danger, onClose, onSubmit, children }: FormDialogProps) {
  const id = useId();
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    try {
      await onSubmit((name) => String(form.get(name) ?? ""));
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} variant={danger ? "danger" : "primary"} busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={(event) => void submit(event)} className="space-y-4 pt-1">
        {children(error)}
        <Refusal error={error} />
      </form>
    </Dialog>
  );
}

/** Why a form was refused; what concerns one field is shown there. */
export function Refusal({ error }: { error: unknown }) {
  if (!error || (error instanceof ApiError && error.fields.length > 0)) return null;
  return (
    <p role="alert" className="rounded-md bg-failed-soft px-3 py-2 text-sm text-failed-text">
      {messageOf(error)}
    </p>
  );
}
