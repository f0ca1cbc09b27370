const RELOADED = "horae.reloaded";
const AGAIN = 60_000; // ms: a chunk that is still missing after a reload must not make the page reload for ever

export async function serverAnswers(): Promise<boolean> {
  try {
    return (await fetch("/health/live", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** Whether the page may reload by itself; says yes once a minute at most. */
export function mayReload(now: number = Date.now()): boolean {
  try {
    if (now - Number(sessionStorage.getItem(RELOADED) ?? 0) < AGAIN) return false;
    sessionStorage.setItem(RELOADED, String(now));
    return true;
  } catch {
    return false; // without a memory it could go on for ever
  }
}

/** Loads the portal again, unless nobody would answer. */
export async function reload(): Promise<void> {
  if (await serverAnswers()) location.reload();
}
