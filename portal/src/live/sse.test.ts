import { expect, it } from "vitest";
import { SseParser } from "./sse";

it("takes events apart wherever the pieces break", () => {
  const text = ': still here\n\nid: 7-1\nevent: run\ndata: {"a":1}\n\nevent: job\ndata: x\ndata: y\n\n';
  for (let cut = 1; cut < text.length; cut += 1) {
    const parser = new SseParser();
    const events = [...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))];
    expect(events).toEqual([
      { id: "7-1", name: "run", data: '{"a":1}' },
      { id: null, name: "job", data: "x\ny" },
    ]);
  }
});
