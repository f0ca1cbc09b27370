import { remember, remembered } from "@/lib/storage";

const MARK = "refreshing";
const LOST = 2_000; // ms: a page that was closed while it refreshed is not coming back

/**
 * Runs one refresh at a time over all tabs: a refresh token that is used twice ends the session (docs/accounts.md).
 * The lock does not outlive a page that is reloaded in the middle, so a mark says since when a tab has been refreshing.
 */
export async function takeTurn<T>(work: () => Promise<T>): Promise<T> {
  const marked = async () => {
    await unmarked();
    remember(MARK, String(Date.now()));
    try {
      return await work();
    } finally {
      remember(MARK, null);
    }
  };
  if (typeof navigator === "undefined" || !navigator.locks) return marked();
  return navigator.locks.request("horae.refresh", marked) as Promise<T>;
}

async function unmarked(): Promise<void> {
  for (;;) {
    const since = Number(remembered(MARK) ?? 0);
    const age = Date.now() - since;
    if (age < 0 || age > LOST) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
