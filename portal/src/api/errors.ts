import type { Problem } from "./schema";

export interface FieldError {
  field: string;
  message: string;
}

/** An error response of the API, or no response (status 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly kind: string;
  readonly title: string;
  readonly field: string | null;
  readonly fields: FieldError[];
  readonly requestId: string | null;
  readonly retryAfter: number | null;
  /** The whole problem from the API. */
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>, retryAfter: number | null = null) {
    super(problem.detail ?? problem.title ?? `HTTP ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.problem = problem;
    this.kind = problem.type?.replace("urn:horae:problem:", "") ?? "unknown";
    this.title = problem.title ?? "Something went wrong";
    this.field = problem.field ?? null;
    this.fields = problem.errors ?? (problem.field ? [{ field: problem.field, message: this.message }] : []);
    this.requestId = problem.request_id ?? null;
    this.retryAfter = retryAfter;
  }

  /** Whether a retry may succeed. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  static offline(): ApiError {
    return new ApiError(0, {
      type: "urn:horae:problem:offline",
      title: "The server is not responding",
      detail: "Check that Horae is running and reachable from this machine. Retrying automatically.",
    });
  }

  static async from(response: Response): Promise<ApiError> {
    const wait = Number(response.headers.get("retry-after"));
    let problem: Partial<Problem>;
    try {
      problem = (await response.json()) as Partial<Problem>;
    } catch {
      problem = { title: response.statusText || `HTTP ${response.status}` };
    }
    const requestId = problem.request_id ?? response.headers.get("x-request-id") ?? undefined;
    return new ApiError(response.status, { ...problem, request_id: requestId }, wait > 0 ? wait : null);
  }
}

/** The message for a field of a form, by its path as the API names it: `schedule.cron`. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const message = error.fields.find((one) => one.field === field)?.message;
  return message === "should have at least 1 character" ? "is required" : message; // as a form says it
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
