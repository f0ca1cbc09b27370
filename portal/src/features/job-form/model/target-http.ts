import type { HttpTarget } from "@/api/schema";
import { filled, fromPairs, type Json, number, type Pair, pairs, record, text, texts } from "./read";

export interface HttpDraft {
  method: string;
  url: string;
  headers: Pair[];
  query: Pair[];
  body: string;
  auth: "none" | "bearer" | "basic";
  token: string;
  username: string;
  password: string;
  expect: string;
  followRedirects: boolean;
  signWith: string;
  callback: boolean;
  callbackTimeout: string;
}

export function readHttp(given: Json): HttpDraft {
  const auth = record(given.auth);
  const basic = record(auth.basic);
  return {
    method: text(given.method) || "POST",
    url: text(given.url),
    headers: pairs(given.headers),
    query: pairs(given.query),
    body: text(given.body),
    auth: auth.bearer ? "bearer" : auth.basic ? "basic" : "none",
    token: text(auth.bearer),
    username: text(basic.username),
    password: text(basic.password),
    expect: texts(given.expect).join(", "),
    followRedirects: given.follow_redirects === true,
    signWith: texts(given.sign_with).join(", "),
    callback: typeof given.callback === "object" && given.callback !== null,
    callbackTimeout: text(record(given.callback).timeout),
  };
}

export function writeHttp(draft: HttpDraft): HttpTarget {
  return {
    kind: "http",
    method: draft.method,
    url: draft.url.trim(),
    ...filled({
      headers: fromPairs(draft.headers),
      query: fromPairs(draft.query),
      body: draft.body,
      auth: authOf(draft),
      expect: words(draft.expect),
      follow_redirects: draft.followRedirects || undefined,
      sign_with: words(draft.signWith),
    }),
    ...(draft.callback ? { callback: filled({ timeout: number(draft.callbackTimeout) }) } : {}),
  } as unknown as HttpTarget;
}

function authOf(draft: HttpDraft): Json | undefined {
  if (draft.auth === "bearer") return { bearer: draft.token };
  return draft.auth === "basic" ? { basic: { username: draft.username, password: draft.password } } : undefined;
}

/** What stands between commas. */
export function words(value: string): string[] {
  return value
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
