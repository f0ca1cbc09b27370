import { ApiError } from "@/api/errors";

/** What signing in takes after the password: a code, or a second factor to be set up first. */
export interface SecondStep {
  challenge: string;
  enrol: boolean;
}

export function secondStepOf(error: unknown): SecondStep | null {
  if (!(error instanceof ApiError) || error.kind !== "second-factor" || !error.problem.challenge) return null;
  return { challenge: error.problem.challenge, enrol: error.problem.enrol === true };
}
