export interface Turns {
  done: number;
  failed: unknown[];
}

/** Does the same with many, a few at a time; one that fails does not stop the rest. */
export async function inTurn<T>(items: T[], work: (item: T) => Promise<unknown>, atOnce = 4): Promise<Turns> {
  const rest = items.values();
  const found: Turns = { done: 0, failed: [] };
  const one = async () => {
    for (const item of rest) {
      try {
        await work(item);
        found.done += 1;
      } catch (error) {
        found.failed.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, one));
  return found;
}
