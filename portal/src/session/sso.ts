import { call } from "@/api/client";
import type { SsoView } from "@/api/schema";
import { remember } from "@/lib/storage";
import { post } from "./tokens";

const LEFT = "horae.left-hash"; // what stood behind the # when the browser went to the provider

/** How a sign-in through the identity provider went, as the server says it behind the #. */
export type Outcome = string | null;

let outcome: Outcome = null;

/** On the first load: takes note of how it went, and gives the address back its own #. */
export function comeBack(): void {
  const found = /^#sso=([a-z-]+)$/.exec(location.hash);
  if (!found?.[1]) return;
  outcome = found[1];
  if (outcome === "in" || outcome === "connected") remember("session", "1"); // the refresh token is in a cookie by now
  history.replaceState(null, "", `${location.pathname}${location.search}${takeHash()}`);
}

/** Returned once: a reloaded page does not report it again. */
export function takeOutcome(): Outcome {
  const told = outcome;
  outcome = null;
  return told;
}

/** Leaves for the provider; the browser comes back to this page. */
export async function leaveForProvider(): Promise<void> {
  go(await post<SsoView>("/auth/sso/start", { next: here() }));
}

/** The same for a signed-in user, to connect their account. */
export async function connectProvider(password: string, code: string): Promise<void> {
  const body = { next: here(), password, ...(code ? { code } : {}) };
  go(await call("POST /auth/sso/link", { body }));
}

function go({ url }: SsoView): void {
  keepHash(location.hash);
  location.assign(url);
}

function here(): string {
  return `${location.pathname}${location.search}`;
}

// An invitation's token is in the fragment: it stays in this tab, and is not sent anywhere.
function keepHash(hash: string): void {
  try {
    sessionStorage.setItem(LEFT, hash);
  } catch {
    // a browser that keeps nothing still works
  }
}

function takeHash(): string {
  try {
    const kept = sessionStorage.getItem(LEFT) ?? "";
    sessionStorage.removeItem(LEFT);
    return kept;
  } catch {
    return "";
  }
}

const SAID: Record<string, string> = {
  denied: "The sign-in was cancelled or denied.",
  expired: "This sign-in has expired, or was started in another browser. Try again.",
  unavailable: "The identity provider is not available right now. Try again in a moment.",
  rejected: "The identity provider's answer could not be verified. If this keeps happening, contact an admin.",
  domain: "Your e-mail address is not in an allowed domain, or is not verified.",
  unknown: "You do not have access yet. Ask an admin to add you to a group, or to create an account for you.",
  first: "There is no admin yet. Create the first admin account before others sign in.",
  taken:
    "An account with your name exists already. If it is yours, sign in with its password and connect it in your settings.",
  inactive: "Your account is disabled.",
  limited: "Too many attempts. Wait a while and try again.",
  linked: "This identity belongs to another account.",
};

/** Null if it is not a failure. */
export function problemIn(told: Outcome): string | null {
  if (told === null || told === "in" || told === "connected") return null;
  return SAID[told] ?? "Signing in did not work. Try again.";
}
