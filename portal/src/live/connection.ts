import { callRaw } from "@/api/client";
import { ApiError } from "@/api/errors";
import { readEvents, type SseEvent } from "./sse";

export type LiveState = "connecting" | "live" | "polling" | "asleep";

const SILENCE = 30_000; // ms: the server says something every ten seconds
const LONGEST = 10_000; // ms between two tries
/** ms after which a hidden page disconnects. Soon: browsers have six connections per server, for all its pages. */
const HIDDEN = 5_000;

interface Handlers {
  onEvent: (event: SseEvent) => void;
  onState: (state: LiveState) => void;
}

/** One connection to /events: resumes after the last event, backs off after failures, sleeps with the page. */
export class Connection {
  private lastId: string | null = null;
  private begun = false;
  private failures = 0;
  private abort: AbortController | null = null;
  private retry: ReturnType<typeof setTimeout> | null = null;
  private silence: ReturnType<typeof setTimeout> | null = null;
  private hiding: ReturnType<typeof setTimeout> | null = null;
  private stopped = true;
  private readonly handlers: Handlers;

  constructor(handlers: Handlers) {
    this.handlers = handlers;
  }

  start(): void {
    this.stopped = false;
    document.addEventListener("visibilitychange", this.onVisibility);
    window.addEventListener("online", this.wake);
    this.wake();
  }

  stop(): void {
    this.stopped = true;
    document.removeEventListener("visibilitychange", this.onVisibility);
    window.removeEventListener("online", this.wake);
    if (this.hiding) clearTimeout(this.hiding);
    this.hiding = null;
    this.letGo();
  }

  private readonly wake = (): void => {
    if (this.stopped || document.visibilityState === "hidden") return;
    this.failures = 0;
    if (!this.abort) void this.follow();
  };

  private readonly onVisibility = (): void => {
    if (this.hiding) clearTimeout(this.hiding);
    this.hiding = null;
    if (document.visibilityState !== "hidden") {
      this.wake();
      return;
    }
    this.hiding = setTimeout(() => {
      this.letGo();
      this.handlers.onState("asleep");
    }, HIDDEN);
  };

  private letGo(): void {
    if (this.retry) clearTimeout(this.retry);
    if (this.silence) clearTimeout(this.silence);
    this.retry = this.silence = null;
    this.abort?.abort();
    this.abort = null;
  }

  private async follow(): Promise<void> {
    if (this.retry) clearTimeout(this.retry);
    this.retry = null;
    const abort = new AbortController();
    this.abort = abort;
    this.handlers.onState(this.failures > 1 ? "polling" : "connecting");
    try {
      const headers: Record<string, string> = this.lastId ? { "last-event-id": this.lastId } : {};
      const response = await callRaw("GET /events", { headers, signal: abort.signal });
      if (this.begun && !this.lastId) this.take({ id: null, name: "reset", data: "{}" }); // unknown events were missed
      this.begun = true;
      await readEvents(response, this.take, () => this.heard(abort));
      this.failures = Math.min(this.failures, 1); // it ended as it should: after a quarter of an hour, say
    } catch (error) {
      if (this.abort !== abort) return; // let go on purpose
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) this.failures += 3;
      this.failures += 1;
    }
    if (this.abort === abort) this.again();
  }

  private again(): void {
    if (this.silence) clearTimeout(this.silence);
    this.silence = null;
    this.abort = null;
    if (this.stopped) return;
    this.handlers.onState(this.failures > 1 ? "polling" : "connecting");
    const wait = Math.min(LONGEST, 500 * 2 ** this.failures);
    this.retry = setTimeout(() => void this.follow(), wait * (0.75 + Math.random() / 2));
  }

  private readonly take = (event: SseEvent): void => {
    if (event.id) this.lastId = event.id;
    this.handlers.onEvent(event);
  };

  private heard(abort: AbortController): void {
    if (this.failures > 0 || this.silence === null) this.handlers.onState("live");
    this.failures = 0;
    if (this.silence) clearTimeout(this.silence);
    this.silence = setTimeout(() => abort.abort(), SILENCE);
  }
}
