import * as Radix from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "@/lib/cn";
import { Button } from "./button";

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, right-aligned below. */
  footer?: ReactNode;
  className?: string;
}

// As high as what it lies below: one that opens over another covers that as well.
const OVERLAY = "fixed inset-0 z-50 bg-[rgb(0_0_0/0.45)]";

const CENTRED = cn(
  "top-[8vh] left-1/2 max-h-[84vh] w-[calc(100vw-1.5rem)] max-w-lg -translate-x-1/2",
  "rounded-lg border border-line",
);
const ASIDE = "inset-y-0 right-0 w-full max-w-xl animate-slide border-l border-line";

export function Dialog({ className, ...props }: DialogProps) {
  return <Modal {...props} className={cn(CENTRED, className)} />;
}

/** Like Dialog, but from the side, for long content: details, forms next to a list. */
export function Sheet({ className, ...props }: DialogProps) {
  return <Modal {...props} className={cn(ASIDE, className)} />;
}

function Modal({ open, onOpenChange, title, description, children, footer, className }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={OVERLAY} />
        <Radix.Content
          {...(description ? {} : { "aria-describedby": undefined })}
          onOpenAutoFocus={toFirstField}
          className={cn("fixed z-50 flex flex-col bg-surface shadow-xl", className)}
        >
          <Head title={title} description={description} />
          {children ? <div className="min-h-0 flex-1 overflow-y-auto px-5 pb-5">{children}</div> : null}
          {footer ? (
            <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</div>
          ) : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Focuses a form's first field, not the close button. */
function toFirstField(event: Event) {
  const field = (event.target as HTMLElement).querySelector<HTMLElement>(
    "form :is(input:not([type=hidden], [type=radio], [type=checkbox]), textarea, select)",
  );
  if (!field) return;
  event.preventDefault();
  field.focus();
}

function Head({ title, description }: Pick<DialogProps, "title" | "description">) {
  return (
    <div className="flex items-start justify-between gap-4 px-5 pt-4 pb-3">
      <div className="min-w-0">
        <Radix.Title className="text-base font-semibold break-words">{title}</Radix.Title>
        {description ? <Radix.Description className="mt-1 text-sm text-muted">{description}</Radix.Description> : null}
      </div>
      <Radix.Close asChild>
        <Button variant="ghost" size="icon-sm" aria-label="Close">
          <X />
        </Button>
      </Radix.Close>
    </div>
  );
}
