import { expect, it } from "vitest";
import { readPolicies, waits } from "./policies";

const of = (retry: object) => waits(readPolicies({ retry }));

it("counts the waits as the server does", () => {
  expect(of({})).toEqual([60, 120]);
  expect(of({ max_attempts: 4, backoff: "linear", delay: 10 })).toEqual([10, 20, 30]);
  expect(of({ max_attempts: 3, backoff: "fixed", delay: 5 })).toEqual([5, 5]);
  expect(of({ max_attempts: 5, delay: 60, max_delay: 200 })).toEqual([60, 120, 200, 200]);
  expect(of({ max_attempts: 1 })).toEqual([]);
});
