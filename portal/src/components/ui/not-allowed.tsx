import { ApiError } from "@/api/errors";
import { ErrorState } from "./error-state";

const ERROR = new ApiError(403, {
  title: "Not allowed for your role",
  detail: "You can view this project's jobs and runs.",
});

/** Instead of a page that the user opened by its URL and may not use. */
export function NotAllowed() {
  return <ErrorState error={ERROR} />;
}
