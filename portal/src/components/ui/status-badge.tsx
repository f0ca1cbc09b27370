import { said } from "@/lib/words";
import { Badge } from "./badge";
import { lookOf } from "./status";

export function StatusBadge({ status, className }: { status: string; className?: string }) {
  const { tone, icon: Icon } = lookOf(status);
  return (
    <Badge tone={tone} className={className}>
      <Icon aria-hidden />
      {said(status)}
    </Badge>
  );
}
