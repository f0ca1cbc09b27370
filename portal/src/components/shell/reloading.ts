const RELOADED = "horae.reloaded";
const AGAIN = 60_000; // ms: a chunk that is still missing after a reload must not make the page reload forever

export async function serverAnswers(): Promise<boolean> {
  try {
    return (await fetch("/health/live", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** Whether the page may reload automatically; at most once a minute. */
export function mayReload(now: number = Date.now()): boolean {
  try {
    if (now - Number(sessionStorage.getItem(RELOADED) ?? 0) < AGAIN) return false;
    sessionStorage.setItem(RELOADED, String(now));
    return true;
  } catch {
    return false; // without storage it could reload forever
  }
}

/** Reloads the portal, unless the server is unreachable. */
export async function reload(): Promise<void> {
  if (await serverAnswers()) location.reload();
}
