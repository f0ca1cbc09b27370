interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** All there is, page by page: for choosing from lists that are long only by exception. */
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
