import { Link } from "react-router";
import type { AlertView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { doorOf } from "./attention";

/** Where the one thing to do begins. */
export function Door({ alert, size = "sm" }: { alert: AlertView; size?: "sm" | "md" }) {
  const door = doorOf(alert.action.path);
  if (!door) return null;
  return (
    <Button asChild size={size}>
      <Link to={door.to} aria-label={`${door.label}: ${alert.title}`}>
        {door.label}
      </Link>
    </Button>
  );
}
