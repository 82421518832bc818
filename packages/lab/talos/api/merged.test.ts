import { expect, test } from "vitest";
import { merged } from "./merged.ts";

async function* after(steps: Promise<unknown>[], name: string): AsyncGenerator<string> {
  for (const [index, step] of steps.entries()) {
    await step;
    yield `${name}${index}`;
  }
}

test("values are given in the order of their arrival, from all streams until all have ended", async () => {
  let open = () => {};
  const later = new Promise<void>((done) => {
    open = done;
  });
  const seen: string[] = [];
  for await (const text of merged([after([later], "late"), after([Promise.resolve(), Promise.resolve()], "early")])) {
    seen.push(text);
    if (text === "early1") open();
  }
  expect(seen).toEqual(["early0", "early1", "late0"]);
});

test("ending the merged stream ends its sources", async () => {
  let ended = false;
  async function* endless() {
    try {
      for (;;) yield "again";
    } finally {
      ended = true;
    }
  }
  for await (const _ of merged([endless()])) break;
  await new Promise((done) => setTimeout(done, 1));
  expect(ended).toBe(true);
});
