import { type ComponentProps, useEffect, useRef } from "react";
import { cn } from "@/lib/cn";

interface CheckboxProps extends Omit<ComponentProps<"input">, "type"> {
  /** Some, but not all. */
  some?: boolean;
  onChecked?: (checked: boolean) => void;
}

export function Checkbox({ some = false, onChecked, className, ...props }: CheckboxProps) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = some;
  }, [some]);
  return (
    <input
      ref={ref}
      type="checkbox"
      {...props}
      onChange={(event) => {
        props.onChange?.(event);
        onChecked?.(event.target.checked);
      }}
      className={cn("block size-4 shrink-0 cursor-pointer accent-accent disabled:cursor-not-allowed", className)}
    />
  );
}
