/** A part of the portal that could not be fetched: the server is away, or the part is of an older build. */
export class ChunkError extends Error {
  constructor(cause: unknown) {
    super("Part of the portal did not download.", { cause });
    this.name = "ChunkError";
  }
}

/** Around each `import()`: whatever makes it fail, and in whatever words the browser says so, it is a ChunkError. */
export async function chunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new ChunkError(cause);
  }
}
