import { ApiError, messageOf } from "@/api/errors";
import { seconds } from "@/lib/durations";

/** Why a form was rejected; errors of a field are shown next to it. */
export function Refusal({ error }: { error: unknown }) {
  if (!error || (error instanceof ApiError && error.fields.length > 0)) return null;
  const wait = error instanceof ApiError ? error.retryAfter : null;
  return (
    <p role="alert" className="rounded-md bg-failed-soft px-3 py-2 text-sm text-failed-text">
      {messageOf(error)}
      {wait ? ` Try again in ${seconds(wait)}.` : ""}
    </p>
  );
}
