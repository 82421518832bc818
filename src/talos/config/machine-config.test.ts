import { inspect } from "node:util";
import { expect, test } from "vitest";
import { MachineConfig } from "./machine-config.ts";

test("a config that came as bytes keeps them, comments and all", () => {
  const text = "# by hand\nmachine: { type: worker }\n";
  const config = MachineConfig.read(text);
  expect(config.documents).toEqual([{ machine: { type: "worker" } }]);
  expect(config.text).toBe(text);
});

test("a config that came as documents is printed", () => {
  expect(MachineConfig.of([{ machine: { type: "worker" } }]).text).toBe("machine:\n    type: worker\n");
});

test("a text is parsed once", () => {
  const config = MachineConfig.read("machine: { type: worker }");
  expect(config.documents).toBe(config.documents);
});

test("a text that is not YAML can be passed on, and is refused once its documents are needed", () => {
  const config = MachineConfig.read("machine: { token: verysecret");
  expect(config.text).toBe("machine: { token: verysecret");
  expect(() => config.documents).toThrow(expect.objectContaining({ code: "TALOS_CONFIG_INVALID" }));
});

test("nothing of a config shows in JSON or in a log", () => {
  const config = MachineConfig.of([{ machine: { token: "verysecret" } }]);
  expect(config.text).toContain("verysecret");
  expect(`${JSON.stringify({ config })} ${inspect(config, { showHidden: true, depth: 9 })} ${config}`).not.toContain(
    "verysecret",
  );
});
