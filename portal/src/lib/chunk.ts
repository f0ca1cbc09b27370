/** A part of the portal that could not be fetched: the server is down, or the part belongs to an older build. */
export class ChunkError extends Error {
  constructor(cause: unknown) {
    super("Part of the portal did not download.", { cause });
    this.name = "ChunkError";
  }
}

/** Around each `import()`: every failure becomes a ChunkError, regardless of the browser's message. */
export async function chunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new ChunkError(cause);
  }
}
