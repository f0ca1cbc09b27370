import { useSyncExternalStore } from "react";
import { actIn, call } from "@/api/client";
import type { MeView, PlaceView, TokensView, UserView } from "@/api/schema";
import { remember, remembered } from "@/lib/storage";
import { drop, keep, maybeSignedIn, onSignedOut, post } from "./tokens";

export type Session =
  | { state: "unknown" }
  | { state: "out"; ended: boolean }
  | { state: "in"; me: MeView; place: PlaceView | null };

let session: Session = { state: "unknown" };
const listeners = new Set<() => void>();

function change(next: Session): void {
  session = next;
  actIn(next.state === "in" ? (next.place?.slug ?? null) : null);
  for (const listener of listeners) listener();
}

onSignedOut(() => {
  if (session.state !== "out") change({ state: "out", ended: session.state === "in" });
});

export function currentSession(): Session {
  return session;
}

export function useSession(): Session {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentSession);
}

/** On the first load: goes on with the session of the cookie, if there may be one. */
export async function restore(wanted: string | null): Promise<void> {
  if (!maybeSignedIn()) return change({ state: "out", ended: false });
  await enter(wanted);
}

export async function signIn(username: string, password: string): Promise<void> {
  keep(await post<TokensView>("/auth/login", { username, password }));
  await enter(null);
}

/** With the server's one-time token, that of an invitation, or none where sign-up is open. */
export async function signUp(
  username: string,
  password: string,
  token: string | null,
  done: () => void = () => undefined,
): Promise<void> {
  await post<UserView>("/auth/signup", token ? { username, password, token } : { username, password });
  done();
  await signIn(username, password);
}

export async function signOut(): Promise<void> {
  try {
    await post<void>("/auth/logout", {});
  } finally {
    drop();
  }
}

/** Asks again who one is: after joining a project, say. */
export async function enter(wanted: string | null): Promise<void> {
  const me = await call("GET /auth/me", {});
  change({ state: "in", me, place: chosen(me.projects, wanted ?? remembered("project")) });
  if (session.state === "in" && session.place) remember("project", session.place.slug);
}

export function chosen(places: PlaceView[], slug: string | null): PlaceView | null {
  return places.find((place) => place.slug === slug) ?? places[0] ?? null;
}
