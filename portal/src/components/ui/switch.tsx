import { cn } from "@/lib/cn";

interface SwitchProps {
  checked: boolean;
  onChecked: (checked: boolean) => void;
  label: string;
  id?: string;
  disabled?: boolean;
}

export function Switch({ checked, onChecked, label, id, disabled }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      id={id}
      aria-checked={checked}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChecked(!checked)}
      className={cn(
        "inline-flex h-[18px] w-8 shrink-0 items-center rounded-full p-0.5 transition-colors",
        "disabled:cursor-not-allowed disabled:opacity-50",
        checked ? "bg-accent" : "bg-control",
      )}
    >
      <span className={cn("size-3.5 rounded-full bg-surface transition-transform", checked && "translate-x-3.5")} />
    </button>
  );
}
