import { useSyncExternalStore } from "react";
import { actIn, call } from "@/api/client";
import type { MeView, PlaceView, SignOutView, TokensView, UserView } from "@/api/schema";
import { remember, remembered } from "@/lib/storage";
import { type SecondStep, secondStepOf } from "./challenge";
import { drop, keep, maybeSignedIn, onSignedOut, post } from "./tokens";

export type Session =
  | { state: "unknown" }
  | { state: "out"; ended: boolean; step?: SecondStep | null }
  | { state: "in"; me: MeView; places: PlaceView[]; place: PlaceView | null };

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

/** On the first load: resumes the session of the cookie, if there may be one. */
export async function restore(wanted: string | null): Promise<void> {
  if (!maybeSignedIn()) return change({ state: "out", ended: false });
  await enter(wanted);
}

/** If the password is not enough, the page continues with the second step. */
export async function signIn(username: string, password: string): Promise<void> {
  try {
    keep(await post<TokensView>("/auth/login", { username, password }));
  } catch (error) {
    const step = secondStepOf(error);
    if (!step) throw error;
    return outside(step);
  }
  await enter(null);
}

export function outside(step: SecondStep | null): void {
  change({ state: "out", ended: false, step });
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
  let elsewhere: SignOutView | undefined;
  try {
    elsewhere = await post<SignOutView | undefined>("/auth/logout", {});
  } finally {
    drop();
  }
  if (elsewhere) location.assign(elsewhere.url); // the identity provider ends its session as well
}

/** Asks again who one is: after joining a project, say. */
export async function enter(wanted: string | null): Promise<void> {
  const me = await call("GET /auth/me", {});
  const places = me.is_admin ? await allPlaces(me) : me.projects;
  change({ state: "in", me, places, place: chosen(places, wanted ?? remembered("project")) });
  if (session.state === "in" && session.place) remember("project", session.place.slug);
}

/** Admins may act in every project, including those they are not members of. */
async function allPlaces(me: MeView): Promise<PlaceView[]> {
  const { items } = await call("GET /projects", { query: { limit: 200 } });
  const known = new Set(me.projects.map((place) => place.slug));
  const others = items.filter((project) => !known.has(project.slug));
  const { permissions } = me;
  return [
    ...me.projects,
    ...others.map(({ id, slug, name }) => ({ project_id: id, slug, name, role: "admin" as const, permissions })),
  ];
}

export function chosen(places: PlaceView[], slug: string | null): PlaceView | null {
  return places.find((place) => place.slug === slug) ?? places[0] ?? null;
}
