import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { accessToken, drop, keep, maybeSignedIn, onSignedOut } from "./tokens";

const answer = (token: string) =>
  new Response(JSON.stringify({ access_token: token, refresh_token: null, token_type: "bearer", expires_in: 900 }));

beforeEach(() => vi.useFakeTimers({ now: Date.parse("2026-01-01T00:00:00Z") }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  drop();
});

it("refreshes once for all who ask, and again only when the token is nearly over", async () => {
  let calls = 0;
  vi.stubGlobal("fetch", () => {
    calls += 1;
    return Promise.resolve(answer(`t${calls}`));
  });
  expect(await Promise.all([accessToken(), accessToken(), accessToken()])).toEqual(["t1", "t1", "t1"]);
  vi.advanceTimersByTime(800_000);
  expect(await accessToken()).toBe("t1");
  vi.advanceTimersByTime(80_000);
  expect(await accessToken()).toBe("t2");
});

it("ends the session when the server says so, and not when it does not answer", async () => {
  const over = vi.fn();
  const stop = onSignedOut(over);
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no network")));
  await expect(accessToken()).rejects.toMatchObject({ status: 0 });
  expect(over).not.toHaveBeenCalled();
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}", { status: 401 })));
  await expect(accessToken()).rejects.toMatchObject({ status: 401 });
  expect(over).toHaveBeenCalledOnce();
  stop();
});

it("remembers nothing after signing out", () => {
  keep({ access_token: "t", refresh_token: null, token_type: "bearer", expires_in: 900 });
  expect(maybeSignedIn()).toBe(true);
  drop();
  expect(maybeSignedIn()).toBe(false);
});
