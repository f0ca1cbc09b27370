import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { drop, keep } from "@/session/tokens";
import { Connection, type LiveState } from "./connection";
import type { SseEvent } from "./sse";

interface Call {
  lastId: string | null;
  say: (text: string) => void;
  end: () => void;
  aborted: () => boolean;
}

let calls: Call[];
let down: boolean;
let states: LiveState[];
let events: SseEvent[];
let page: EventTarget & { visibilityState: string };
let connection: Connection;

/** A server that one can make say things, or go away. */
function answer(_: string, init: RequestInit): Promise<Response> {
  if (down) return Promise.reject(new TypeError("refused"));
  const text = new TextEncoder();
  let control: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      control = given;
    },
  });
  init.signal?.addEventListener("abort", () => control.error(new DOMException("aborted", "AbortError")));
  calls.push({
    lastId: new Headers(init.headers).get("last-event-id"),
    say: (said) => control.enqueue(text.encode(said)),
    end: () => control.close(),
    aborted: () => init.signal?.aborted ?? false,
  });
  return Promise.resolve(new Response(body));
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const call = (n: number) => calls[n] as Call;

beforeEach(async () => {
  vi.useFakeTimers();
  [calls, states, events, down] = [[], [], [], false];
  page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("fetch", answer);
  keep({ access_token: "t", refresh_token: null, token_type: "bearer", expires_in: 90_000 });
  connection = new Connection({ onEvent: (event) => events.push(event), onState: (state) => states.push(state) });
  connection.start();
  await pass(0);
});

afterEach(() => {
  connection.stop();
  expect(vi.getTimerCount()).toBe(0); // nothing goes on behind a page that was left
  vi.useRealTimers();
  vi.unstubAllGlobals();
  drop();
});

it("passes on events, and resumes after the last one when the answer ends", async () => {
  call(0).say("id: 7-1\nevent: run\ndata: {}\n\n");
  await pass(0);
  expect(states.at(-1)).toBe("live");
  expect(events.map((event) => event.id)).toEqual(["7-1"]);
  call(0).end();
  await pass(2_000);
  expect(call(1).lastId).toBe("7-1");
});

it("reloads everything if it does not know what it missed", async () => {
  call(0).say(": still here\n\n");
  call(0).end();
  await pass(2_000);
  expect(events.map((event) => event.name)).toEqual(["reset"]);
});

it("lets pages poll while the server is away, and is back soon after it", async () => {
  down = true;
  call(0).end();
  await pass(60_000);
  expect(states.at(-1)).toBe("polling");
  down = false;
  await pass(13_000);
  call(1).say(": still here\n\n");
  await pass(0);
  expect(states.at(-1)).toBe("live");
});

it("takes silence for a broken connection", async () => {
  call(0).say(": still here\n\n");
  await pass(29_000);
  expect(call(0).aborted()).toBe(false);
  await pass(5_000);
  expect(call(0).aborted()).toBe(true);
  expect(calls).toHaveLength(2);
});

it("disconnects while the page is hidden, and reconnects when it is shown", async () => {
  const look = async (visibilityState: string, ms: number) => {
    page.visibilityState = visibilityState;
    page.dispatchEvent(new Event("visibilitychange"));
    await pass(ms);
  };
  call(0).say("id: 7-2\nevent: run\ndata: {}\n\n");
  await look("hidden", 4_000);
  await look("visible", 2_000);
  expect(calls).toHaveLength(1);
  call(0).say(": still here\n\n");
  await look("hidden", 4_000);
  expect(call(0).aborted()).toBe(false);
  await pass(2_000);
  expect(states.at(-1)).toBe("asleep");
  expect(call(0).aborted()).toBe(true);
  await pass(8 * 3_600_000);
  expect(calls).toHaveLength(1);
  await look("visible", 0);
  expect(call(1).lastId).toBe("7-2");
});
