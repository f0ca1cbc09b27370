import { ApiError } from "@/api/errors";
import { PREFIX, read, send } from "@/api/request";
import type { TokensView } from "@/api/schema";
import { remember, remembered } from "@/lib/storage";
import { takeTurn } from "./turns";

const EARLY = 30_000; // ms before its end at which a token is renewed

interface Held {
  token: string;
  until: number;
}

// Only ever in memory: the refresh token is in a cookie that no script can read.
let held: Held | null = null;
let pending: Promise<string> | null = null;
const leaving = new Set<() => void>();

/** A valid token; refreshed if necessary, once for concurrent callers. */
export async function accessToken(): Promise<string> {
  if (held && held.until > Date.now()) return held.token;
  pending ??= refresh().finally(() => {
    pending = null;
  });
  return pending;
}

export function forgetToken(token: string): void {
  if (held?.token === token) held = null;
}

/** Whether this browser has signed in before: only then is it worth asking for a token. */
export function maybeSignedIn(): boolean {
  return held !== null || remembered("session") !== null;
}

export function keep(tokens: TokensView): void {
  held = { token: tokens.access_token, until: Date.now() + tokens.expires_in * 1000 - EARLY };
  remember("session", "1");
}

export function drop(): void {
  held = null;
  remember("session", null);
  for (const listener of leaving) listener();
}

/** Called when the session is over, wherever that was noticed. */
export function onSignedOut(listener: () => void): () => void {
  leaving.add(listener);
  return () => leaving.delete(listener);
}

export async function post<T>(path: string, body: object): Promise<T> {
  return read<T>(
    await send(`${PREFIX}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "horae-client": "portal" },
      body: JSON.stringify(body),
      keepalive: true, // a page that is left now still lets the browser store the new cookie
    }),
  );
}

async function refresh(): Promise<string> {
  try {
    const tokens = await takeTurn(() => post<TokensView>("/auth/refresh", {}));
    keep(tokens);
    return tokens.access_token;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) drop();
    throw error;
  }
}
