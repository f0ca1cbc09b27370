import { ApiError } from "./errors";
import type { Operations } from "./schema";

export type Operation = keyof Operations;
export type Answer<K extends Operation> = Operations[K]["answer"];
export type Query<K extends Operation> = Operations[K]["query"];
export type Body<K extends Operation> = Operations[K]["body"];

type Needed<Name extends string, T> = [T] extends [never]
  ? { [key in Name]?: undefined }
  : undefined extends T
    ? { [key in Name]?: T }
    : { [key in Name]: T };

export type Options<K extends Operation> = Needed<"path", Operations[K]["path"]> &
  Needed<"body", Operations[K]["body"]> & {
    query?: Operations[K]["query"];
    signal?: AbortSignal;
    /** The version that was read: a change that came in between is answered with 412. */
    version?: number;
    /** The same key sent again has no second effect. Every POST gets one automatically. */
    idempotencyKey?: string;
    headers?: Record<string, string>;
  };

export const PREFIX = "/api/v1";

export function url(operation: string, path?: Record<string, string>, query?: Record<string, unknown>): string {
  const template = operation.slice(operation.indexOf(" ") + 1);
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path?.[name];
    if (value === undefined) throw new Error(`${operation}: ${name} is missing`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return `${PREFIX}${filled}${text ? `?${text}` : ""}`;
}

/** A fetch whose failures are ApiErrors. Aborting stays an AbortError, as TanStack Query expects. */
export async function send(input: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(input, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw ApiError.offline();
  }
  if (!response.ok) throw await ApiError.from(response);
  return response;
}

export async function read<T>(response: Response): Promise<T> {
  return (response.status === 204 ? undefined : await response.json()) as T;
}
