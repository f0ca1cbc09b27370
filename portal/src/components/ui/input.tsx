import type { ComponentProps } from "react";
import { cn } from "@/lib/cn";

export const CONTROL = cn(
  "w-full rounded-md border border-control bg-surface px-2.5 text-sm text-text placeholder:text-muted",
  "disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted aria-invalid:border-danger",
);

export function Input({ className, ...props }: ComponentProps<"input">) {
  return <input {...props} className={cn(CONTROL, "h-8", className)} />;
}

export function Textarea({ className, ...props }: ComponentProps<"textarea">) {
  return <textarea rows={3} {...props} className={cn(CONTROL, "py-1.5", className)} />;
}
