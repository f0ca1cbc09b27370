import { ApiError } from "@/api/errors";
import { ErrorState } from "./error-state";

const ERROR = new ApiError(403, {
  title: "Not allowed for your role",
  detail: "You can view this project's jobs and runs.",
});

/** In place of a page that somebody opened by its address and may not use. */
export function NotAllowed() {
  return <ErrorState error={ERROR} />;
}
