import type { EnrolledView, EnrolmentView, TokensView } from "@/api/schema";
import { enter, outside } from "./session";
import { keep, post } from "./tokens";

export async function signInWithCode(challenge: string, code: string): Promise<void> {
  await enterWith(await post<TokensView>("/auth/login/code", { challenge, code }));
}

export function beginEnrolment(challenge: string): Promise<EnrolmentView> {
  return post<EnrolmentView>("/auth/login/enrol", { challenge });
}

/** The session is open after this; `enterWith` shows it. */
export function confirmEnrolment(challenge: string, code: string): Promise<EnrolledView> {
  return post<EnrolledView>("/auth/login/confirm", { challenge, code });
}

export async function enterWith(tokens: TokensView): Promise<void> {
  keep(tokens);
  await enter(null);
}

/** Back to the password, which has to be entered again. */
export function startOver(): void {
  outside(null);
}
