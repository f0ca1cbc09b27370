import type { ComponentProps } from "react";
import { cn } from "@/lib/cn";

/** Plain tables without pagination. For pages, use DataTable. */
export function Table({ className, ...props }: ComponentProps<"table">) {
  return (
    <div className="relative overflow-x-auto">
      <table {...props} className={cn("w-full border-collapse text-left text-sm", className)} />
    </div>
  );
}

export function Th({ className, ...props }: ComponentProps<"th">) {
  return (
    <th
      scope="col"
      {...props}
      className={cn("border-b border-line px-3 py-2 text-xs font-medium whitespace-nowrap text-muted", className)}
    />
  );
}

export function Tr({ className, ...props }: ComponentProps<"tr">) {
  return <tr {...props} className={cn("border-b border-line bg-surface last:border-0 hover:bg-sunken", className)} />;
}

export function Td({ className, ...props }: ComponentProps<"td">) {
  return <td {...props} className={cn("px-3 py-1.5 align-middle", className)} />;
}
