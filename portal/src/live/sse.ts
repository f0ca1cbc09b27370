export interface SseEvent {
  id: string | null;
  name: string;
  data: string;
}

/** Parses server-sent events as they arrive, in pieces of any size. */
export class SseParser {
  private rest = "";

  push(text: string): SseEvent[] {
    const blocks = (this.rest + text).split(/\r?\n\r?\n/);
    this.rest = blocks.pop() ?? "";
    return blocks.map(parse).filter((event) => event !== null);
  }
}

function parse(block: string): SseEvent | null {
  const event: SseEvent = { id: null, name: "message", data: "" };
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue; // a comment keeps the connection alive, no more
    const value = line.slice(colon + 1).replace(/^ /, "");
    const field = line.slice(0, colon);
    if (field === "id") event.id = value;
    else if (field === "event") event.name = value;
    else if (field === "data") data.push(value);
  }
  if (data.length === 0) return null;
  event.data = data.join("\n");
  return event;
}

/** Reads a streaming answer to its end. `heard` is called for every piece, comments included. */
export async function readEvents(
  response: Response,
  onEvent: (event: SseEvent) => void,
  heard: () => void = () => undefined,
): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  const parser = new SseParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      for (const event of parser.push(value)) onEvent(event);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
