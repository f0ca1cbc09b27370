import { expect, it } from "vitest";
import { ApiError, fieldError } from "./errors";
import { url } from "./request";

it("fills the path and leaves out what is empty", () => {
  expect(url("GET /jobs/{id}/runs", { id: "a b/c" }, { status: "failed", worker: undefined, q: "", n: 0 })).toBe(
    "/api/v1/jobs/a%20b%2Fc/runs?status=failed&n=0",
  );
  expect(() => url("GET /jobs/{id}", {})).toThrow("id is missing");
});

it("makes errors of problems", async () => {
  const problem = {
    type: "urn:horae:problem:invalid-input",
    title: "Invalid input",
    status: 422,
    detail: "schedule.cron: minute 99 is out of range",
    errors: [{ field: "schedule.cron", message: "minute 99 is out of range" }],
    request_id: "r1",
  };
  const error = await ApiError.from(new Response(JSON.stringify(problem), { status: 422 }));
  expect([error.kind, error.status, error.requestId, error.passing]).toEqual(["invalid-input", 422, "r1", false]);
  expect(fieldError(error, "schedule.cron")).toBe("minute 99 is out of range");
  expect(fieldError(error, "name")).toBeUndefined();
});

it("makes errors of what is no problem document", async () => {
  const answer = new Response("<html>", { status: 502, headers: { "x-request-id": "r2", "retry-after": "3" } });
  const error = await ApiError.from(answer);
  expect([error.status, error.requestId, error.retryAfter, error.passing]).toEqual([502, "r2", 3, true]);
});
