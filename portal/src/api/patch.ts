import type { QueryClient } from "@tanstack/react-query";
import { patched } from "@/live/batch";

/**
 * Shows a change before the server has agreed, in all lists and in the thing itself. Returns what undoes it:
 * `onMutate: () => optimistic(…)`, `onError: (_, __, undo) => undo?.()`.
 */
export async function optimistic(
  client: QueryClient,
  noun: string,
  id: string,
  change: Record<string, unknown>,
): Promise<() => void> {
  await client.cancelQueries({ queryKey: [noun] });
  const before = client.getQueriesData<unknown>({ queryKey: [noun] });
  client.setQueriesData<unknown>({ queryKey: [noun, "list"] }, (old: unknown) =>
    patched(old, new Map([[id, { ...change, id }]])),
  );
  client.setQueryData([noun, "one", id], (old: unknown) => (old ? { ...old, ...change } : undefined));
  return () => {
    for (const [key, data] of before) client.setQueryData(key, data);
  };
}
