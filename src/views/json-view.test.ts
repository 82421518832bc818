import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonView } from "./json-view.ts";
import { anyRun } from "./testing/any-run.ts";
import { event, pipe } from "./testing/script.ts";

test("whatever happens in a run, each line is one event, as it was", () => {
  fc.assert(
    fc.property(anyRun, (events) => {
      const terminal = pipe();
      const view = jsonView(terminal);
      for (const one of events) view.event(one);
      view.close();
      const lines = terminal.text().split("\n");
      expect(lines.pop()).toBe("");
      expect(lines.map((row) => JSON.parse(row))).toEqual(JSON.parse(JSON.stringify(events)));
    }),
    { numRuns: 200 },
  );
});

test("how a result is shown to people is left out", () => {
  const terminal = pipe();
  const table = { kind: "table", name: "nodes", columns: [], rows: [{ display: "kept" }], empty: "" } as const;
  const result = { ...table, columns: [], rows: [{ display: "kept" }], display: { leaveOut: ["name"] } };
  jsonView(terminal).event(event({ type: "result", result }));
  expect(JSON.parse(terminal.text()).result).toEqual(table);
});
