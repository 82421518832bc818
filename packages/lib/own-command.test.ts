import { afterEach, expect, test } from "vitest";
import { ownCommand, sameCommand, startedAs, typedEnvironment } from "./own-command.ts";

afterEach(() => startedAs({ program: "talosmith", words: [] }));

test("a suggested command has the program's name, quoted words, and the flags that lead to the same servers", () => {
  startedAs({ program: "./talosmith", words: [], flagsOf: (name) => (name === "runs" ? [] : ["--wire", "lab/wire.yaml"]) });
  expect(ownCommand("node replace", "my homelab", "worker-2")).toBe(
    "./talosmith node replace 'my homelab' worker-2 --wire lab/wire.yaml",
  );
  expect(ownCommand("runs", "homelab")).toBe("./talosmith runs homelab");
});

test("the running command is suggested with all its flags and more of them", () => {
  startedAs({ program: "npx talosmith", words: ["up", "homelab", "--only", "addons"], environment: "homelab" });
  expect(sameCommand("up", "homelab", "--allow-remove", "worker-3")).toBe(
    "npx talosmith up homelab --only addons --allow-remove worker-3",
  );
  expect(typedEnvironment()).toBe("homelab");
});

test("a command that another one started is suggested by its own name", () => {
  startedAs({ program: "talosmith", words: ["demo"] });
  expect(sameCommand("up", "environments/demo")).toBe("talosmith up environments/demo");
});
