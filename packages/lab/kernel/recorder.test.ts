import { expect, test } from "vitest";
import { createRecorder } from "./recorder.ts";

const call = { service: "toy", site: "GET /", resource: "", mutating: false };

test("call numbers continue after clearing", () => {
  const recorder = createRecorder(() => 7);
  recorder.begin(call);
  recorder.clear();
  expect(recorder.begin(call)).toEqual({ ...call, n: 2, at: 7 });
  expect(recorder.calls()).toHaveLength(1);
});

test("only the newest calls are kept, and never more than the limit", () => {
  const recorder = createRecorder(() => 0, 10);
  for (let n = 1; n <= 35; n++) {
    recorder.begin(call);
    expect(recorder.calls().length).toBeLessThanOrEqual(10);
    expect(recorder.calls().at(-1)?.n).toBe(n);
  }
});
