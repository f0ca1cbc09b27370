import { callRaw } from "@/api/client";
import { ApiError } from "@/api/errors";
import { LogLines, type LogPiece } from "@/lib/log-lines";
import { readEvents, type SseEvent } from "@/live/sse";

export type FeedState = "reading" | "following" | "broken" | "ended" | "failed";

export interface Told {
  status: string;
  attempt: number;
  progress: unknown;
}

interface Handlers {
  /** Something came; called at most ten times a second, however much it is. */
  onChange: () => void;
  onRun: (told: Told) => void;
  onEnd: () => void;
}

const FLUSH = 100; // ms
const LONGEST = 10_000; // ms between two tries
const HIDDEN = 5_000; // ms

/** Follows the log of one run: resumes after an interruption, until the run has ended. */
export class LogFeed {
  readonly log = new LogLines();
  state: FeedState = "reading";
  error: unknown = null;
  private lastId: string | null = null;
  private failures = 0;
  private abort: AbortController | null = null;
  private flushing: ReturnType<typeof setTimeout> | null = null;
  private retry: ReturnType<typeof setTimeout> | null = null;
  private hiding: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly id: string,
    private readonly handlers: Handlers,
  ) {}

  start(): void {
    document.addEventListener("visibilitychange", this.onVisibility);
    void this.follow();
  }

  stop(): void {
    document.removeEventListener("visibilitychange", this.onVisibility);
    this.letGo();
    for (const timer of [this.flushing, this.hiding]) if (timer) clearTimeout(timer);
  }

  /** A page that is hidden for a while disconnects, and resumes when it is visible again. */
  private readonly onVisibility = (): void => {
    if (this.hiding) clearTimeout(this.hiding);
    this.hiding = null;
    if (document.visibilityState === "hidden") this.hiding = setTimeout(() => this.letGo(), HIDDEN);
    else if (!this.abort && !this.retry && !this.over) void this.follow();
  };

  private get over(): boolean {
    return this.state === "ended" || this.state === "failed";
  }

  private letGo(): void {
    if (this.retry) clearTimeout(this.retry);
    this.retry = null;
    this.abort?.abort();
    this.abort = null;
  }

  private async follow(): Promise<void> {
    this.retry = null;
    const abort = new AbortController();
    this.abort = abort;
    try {
      const response = await callRaw("GET /runs/{id}/log", {
        path: { id: this.id },
        query: { follow: true },
        headers: this.lastId ? { "last-event-id": this.lastId } : {},
        signal: abort.signal,
      });
      await readEvents(response, this.take, () => {
        this.failures = 0;
      });
    } catch (error) {
      if (abort.signal.aborted) return;
      this.failures += 1;
      if (error instanceof ApiError && !error.passing) {
        this.error = error;
        this.change("failed");
        return;
      }
    }
    if (abort.signal.aborted || this.over) return;
    this.abort = null;
    this.change("broken");
    this.retry = setTimeout(() => void this.follow(), Math.min(LONGEST, 500 * 2 ** this.failures));
  }

  private readonly take = (event: SseEvent): void => {
    if (this.state === "broken") this.state = "following";
    if (event.name === "log") {
      this.log.add(JSON.parse(event.data) as LogPiece);
      this.lastId = event.id;
      this.flushing ??= setTimeout(this.flush, FLUSH);
    } else if (event.name === "run") {
      this.handlers.onRun(JSON.parse(event.data) as Told);
      if (this.state === "reading") this.change("following");
    } else if (event.name === "end") {
      this.change("ended");
      this.handlers.onEnd();
    }
  };

  private change(state: FeedState): void {
    this.state = state;
    this.flushing ??= setTimeout(this.flush, FLUSH);
  }

  private readonly flush = (): void => {
    this.flushing = null;
    this.handlers.onChange();
  };
}
