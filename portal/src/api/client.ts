import { randomId } from "@/lib/random";
import { accessToken, forgetToken } from "@/session/tokens";
import { ApiError } from "./errors";
import { type Answer, type Operation, type Options, read, send, url } from "./request";

const AGAIN = 500; // ms
let project: string | null = null;

/** The project that requests are about. The session sets it. */
export function actIn(slug: string | null): void {
  project = slug;
}

/**
 * Calls an operation of the API by its name in the OpenAPI document:
 * `await call("GET /jobs/{id}", { path: { id }, signal })`.
 */
export async function call<K extends Operation>(operation: K, options: Options<K>): Promise<Answer<K>> {
  return read<Answer<K>>(await callRaw(operation, options));
}

/** The same, with the answer as it came: for streams, downloads and headers. */
export async function callRaw<K extends Operation>(operation: K, options: Options<K>): Promise<Response> {
  const given = options as Options<Operation> & { path?: Record<string, string>; body?: unknown };
  const method = operation.slice(0, operation.indexOf(" "));
  const target = url(operation, given.path, given.query as Record<string, unknown> | undefined);
  const headers: Record<string, string> = { "horae-client": "portal", ...given.headers };
  if (project !== null) headers["horae-project"] = project;
  if (given.version !== undefined) headers["if-match"] = `"${given.version}"`;
  if (method === "POST") headers["idempotency-key"] = given.idempotencyKey ?? randomId();
  const init: RequestInit = { method, headers, signal: given.signal ?? null };
  if (given.body !== undefined) {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(given.body);
  }
  try {
    return await authorised(target, init, headers);
  } catch (error) {
    // The answer was lost, perhaps not the request: the key makes it safe to retry.
    if (!(error instanceof ApiError) || error.status !== 0 || !headers["idempotency-key"]) throw error;
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
    return authorised(target, init, headers);
  }
}

async function authorised(target: string, init: RequestInit, headers: Record<string, string>): Promise<Response> {
  const token = await accessToken();
  try {
    return await send(target, { ...init, headers: { ...headers, authorization: `Bearer ${token}` } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    // Revoked, or older than this page thought: one try with a new one.
    forgetToken(token);
    const next = await accessToken();
    return send(target, { ...init, headers: { ...headers, authorization: `Bearer ${next}` } });
  }
}
