interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** All items, page by page: for selecting from lists that are rarely long. */
export async function everyPage<T>(page: (cursor: { cursor?: string }) => Promise<Page<T>>): Promise<{ items: T[] }> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const found: Page<T> = await page(cursor === null ? {} : { cursor });
    items.push(...found.items);
    cursor = found.next_cursor;
  } while (cursor !== null);
  return { items };
}
