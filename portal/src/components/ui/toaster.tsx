import { CircleCheck, CircleX, Info, X } from "lucide-react";
import { useEffect, useState } from "react";
import { dismiss, type Toast, useToasts } from "@/lib/toasts";
import { Button } from "./button";

const ICONS = { done: CircleCheck, failed: CircleX, info: Info };
const COLOURS = { done: "text-succeeded", failed: "text-failed", info: "text-accent" };
const STAYS = { done: 6_000, failed: 12_000, info: 6_000 };

export function Toaster() {
  const toasts = useToasts();
  return (
    <section
      aria-label="Notifications"
      aria-live="polite"
      className="pointer-events-none fixed right-3 bottom-3 z-[60] flex w-[calc(100vw-1.5rem)] max-w-sm flex-col gap-2"
    >
      {toasts.map((toast) => (
        <OneToast key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function OneToast({ toast }: { toast: Toast }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => dismiss(toast.id), STAYS[toast.tone]);
    return () => clearTimeout(timer);
  }, [toast, held]);
  const Icon = ICONS[toast.tone];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pausing while the user reads is not a separate function
    <div
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="pointer-events-auto flex animate-appear items-center gap-2.5 rounded-lg border border-line bg-surface p-3 shadow-lg"
    >
      <Icon aria-hidden className={`size-4 shrink-0 ${COLOURS[toast.tone]}`} />
      <div className="min-w-0 flex-1 text-sm">
        <p className="break-words">{toast.text}</p>
        {toast.detail ? <p className="mt-0.5 text-xs break-words text-muted">{toast.detail}</p> : null}
      </div>
      {toast.action ? (
        <Button
          variant="link"
          size="sm"
          onClick={() => {
            toast.action?.run();
            dismiss(toast.id);
          }}
        >
          {toast.action.label}
        </Button>
      ) : null}
      <Button variant="ghost" size="icon-sm" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
        <X />
      </Button>
    </div>
  );
}
