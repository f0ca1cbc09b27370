import { TriangleAlert } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { ApiError, messageOf } from "@/api/errors";
import { PageHeader } from "@/components/ui/page-header";
import { Segments } from "@/components/ui/segments";
import type { JobForm, View } from "./use-job-form";
import { useLeaving } from "./use-leaving";

const VIEWS = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
];

interface FormFrameProps {
  title: string;
  description: ReactNode;
  form: JobForm;
  onSubmit: () => void;
  /** The buttons below. */
  buttons: ReactNode;
  children: ReactNode;
}

/** What a new job and an edit have in common: the header, form or JSON, the errors, the buttons. */
export function FormFrame({ title, description, form, onSubmit, buttons, children }: FormFrameProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  const frame = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The first field that is wrong may be out of sight.
    if (form.refusals > 0) frame.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [form.refusals]);
  const leaving = useLeaving(form.check);
  return (
    // What has the focus is not left behind the bars above and below.
    <form ref={frame} onSubmit={submit} {...leaving} noValidate className="**:scroll-my-20">
      <PageHeader
        title={title}
        description={description}
        actions={
          <Segments
            label="Show as"
            choices={VIEWS}
            value={form.json === null ? "form" : "json"}
            onValue={(view) => form.show(view as View)}
          />
        }
      />
      {children}
      <div className="sticky bottom-0 z-20 -mx-3 mt-4 border-t border-line bg-page px-3 py-3 sm:-mx-6 sm:px-6">
        <div className="flex flex-wrap items-center justify-end gap-2">
          <div className="mr-auto min-w-0">{form.error ? <Wrong error={form.error} /> : null}</div>
          {buttons}
        </div>
      </div>
    </form>
  );
}

function Wrong({ error }: { error: unknown }) {
  const fields = error instanceof ApiError ? error.fields : [];
  return (
    <div role="alert" className="flex items-start gap-2 text-sm text-danger">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {fields.length === 0 ? (
        <span>{messageOf(error)}</span>
      ) : (
        <ul>
          {fields.slice(0, 4).map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <span className="font-mono text-xs">{field}</span> {message}
            </li>
          ))}
          {fields.length > 4 ? <li>… and {fields.length - 4} more</li> : null}
        </ul>
      )}
    </div>
  );
}
