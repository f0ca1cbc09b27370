import type { PlaceView } from "@/api/schema";
import { useSession } from "@/session/session";

/** The project that one is in, and what one is there. */
export function usePlace(): PlaceView {
  const session = useSession();
  if (session.state !== "in" || !session.place) throw new Error("settings are of a project"); // the shell shows none without
  return session.place;
}
