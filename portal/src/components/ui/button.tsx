import { Slot } from "@radix-ui/react-slot";
import type { ComponentProps } from "react";
import { cn } from "@/lib/cn";
import { Spinner } from "./spinner";

const VARIANTS = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong",
  secondary: "border border-control/60 bg-surface text-text hover:bg-hover",
  ghost: "text-muted hover:bg-hover hover:text-text",
  danger: "bg-danger text-on-danger hover:bg-danger-strong",
  link: "text-accent underline-offset-4 hover:underline",
};
const SIZES = {
  sm: "h-7 gap-1.5 px-2 text-xs",
  md: "h-8 gap-2 px-3 text-sm",
  lg: "h-10 gap-2 px-4 text-sm",
  icon: "size-8 justify-center",
  "icon-sm": "size-7 justify-center",
};

export interface ButtonProps extends ComponentProps<"button"> {
  variant?: keyof typeof VARIANTS;
  size?: keyof typeof SIZES;
  /** Shows progress, and ignores further clicks. */
  busy?: boolean;
  /** Renders its only child, such as a link, as a button. */
  asChild?: boolean;
}

export function Button({ variant = "secondary", size = "md", busy, asChild, className, ...props }: ButtonProps) {
  const look = cn(
    "inline-flex shrink-0 items-center justify-center rounded-md font-medium whitespace-nowrap transition-colors",
    "disabled:cursor-not-allowed disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0",
    VARIANTS[variant],
    SIZES[size],
    className,
  );
  if (asChild) return <Slot className={look} {...props} />;
  return (
    <button type="button" {...props} className={look} disabled={props.disabled || busy} aria-busy={busy || undefined}>
      {busy ? <Spinner /> : null}
      {props.children}
    </button>
  );
}
