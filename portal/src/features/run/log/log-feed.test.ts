// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { callRaw } from "@/api/client";
import { ApiError } from "@/api/errors";
import { LogFeed } from "./log-feed";

vi.mock("@/api/client", () => ({ callRaw: vi.fn() }));
const answers = vi.mocked(callRaw);

const event = (name: string, data: object, id?: string) =>
  `${id ? `id: ${id}\n` : ""}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const piece = (seq: number, text: string) =>
  event("log", { attempt: 1, seq, at: "", stream: "stdout", text }, `1.${seq}`);

function feed() {
  const calls = { onChange: vi.fn(), onRun: vi.fn(), onEnd: vi.fn() };
  return { ...calls, feed: new LogFeed("r1", calls) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  answers.mockReset();
});

it("reports a flood ten times a second at most", async () => {
  const text = Array.from({ length: 5_000 }, (_, n) => piece(n + 1, `line ${n}\n`)).join("");
  answers.mockResolvedValueOnce(new Response(text + event("end", {})));
  const one = feed();
  one.feed.start();
  await vi.advanceTimersByTimeAsync(150);
  expect(one.feed.log.lines).toHaveLength(5_000);
  expect(one.onChange.mock.calls.length).toBeLessThanOrEqual(2);
  expect(one.onEnd).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(answers).toHaveBeenCalledOnce();
});

it("goes on after a break where it was", async () => {
  answers.mockResolvedValueOnce(new Response(event("run", { status: "running" }) + piece(1, "one\n")));
  answers.mockRejectedValueOnce(ApiError.offline());
  answers.mockResolvedValueOnce(new Response(piece(2, "two\n") + event("end", {})));
  const one = feed();
  one.feed.start();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(answers.mock.calls.map(([, options]) => options.headers)).toEqual([
    {},
    { "last-event-id": "1.1" },
    { "last-event-id": "1.1" },
  ]);
  expect(one.feed.log.lines.map((line) => line.text)).toEqual(["one", "two"]);
  expect(one.feed.state).toBe("ended");
});

it("gives up where it is refused, and stops with its page", async () => {
  answers.mockRejectedValueOnce(new ApiError(404, { title: "Not found" }));
  const one = feed();
  one.feed.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(one.feed.state).toBe("failed");
  expect(answers).toHaveBeenCalledOnce();

  answers.mockResolvedValue(new Response(piece(1, "one\n")));
  const other = feed();
  other.feed.start();
  await vi.advanceTimersByTimeAsync(10);
  other.feed.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(vi.getTimerCount()).toBe(0);
});

it("disconnects while the page is hidden, and continues afterwards", async () => {
  const signals: (AbortSignal | undefined)[] = [];
  answers.mockImplementation((_, options) => {
    signals.push(options.signal);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(piece(signals.length, "line\n"))),
    });
    return Promise.resolve(new Response(body));
  });
  const seen = vi.spyOn(document, "visibilityState", "get");
  const turn = (state: DocumentVisibilityState) => {
    seen.mockReturnValue(state);
    document.dispatchEvent(new Event("visibilitychange"));
  };
  const one = feed();
  one.feed.start();
  await vi.advanceTimersByTimeAsync(200);
  turn("hidden");
  await vi.advanceTimersByTimeAsync(4_000);
  expect(signals[0]?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(signals[0]?.aborted).toBe(true);
  turn("visible");
  await vi.advanceTimersByTimeAsync(200);
  expect(answers.mock.calls[1]?.[1].headers).toEqual({ "last-event-id": "1.1" });
  expect(one.feed.log.lines).toHaveLength(2);
  one.feed.stop();
  expect(vi.getTimerCount()).toBe(0);
});
