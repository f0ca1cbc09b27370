import type { Answer } from "@/api/request";
import { PREFIX, read, send } from "@/api/request";

export type Start = Answer<"GET /auth/start">;
export type Way = "sign-in" | "first" | "join" | "sign-up";

/** How one gets in here, which those may ask who are not in yet. */
export async function readStart(): Promise<Start> {
  return read<Start>(await send(`${PREFIX}/auth/start`, {}));
}

/** `/setup#hf1_…` and `/join#…` carry a token behind the #: it is sent to no server, and is in no log. */
export function wayIn(pathname: string, start: Start | undefined): Way {
  if (pathname === "/join") return "join";
  return start?.first_admin || pathname === "/setup" ? "first" : "sign-in";
}

export function tokenIn(hash: string): string {
  return decodeURIComponent(hash.slice(1));
}
