import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Shell } from "./root.ts";
import { finishHostFile, readHostFile, writeHostFile } from "./write-file.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "host file "));
  file = join(folder, "interfaces");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A real shell; `arrives` is the part of the input that it receives before the connection breaks. */
function shell(arrives = Number.POSITIVE_INFINITY): Shell {
  const execute = (line: string, stdin = "") => {
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", line], { input: stdin.slice(0, arrives), encoding: "utf8" });
    return { code: status ?? 1, stdout, stderr };
  };
  const run = async (what: string, line: string, stdin?: string) => {
    const { code, stdout, stderr } = execute(line, stdin);
    if (code !== 0) throw new Error(`${what}: ${stderr}`);
    return stdout;
  };
  return {
    host: "here",
    ask: async (line) => execute(line),
    look: run,
    find: (what, line) => run(what, line),
    json: async (what, line) => JSON.parse(await run(what, line)),
    run,
    read: async (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
  };
}

const done = () => `echo done >> '${join(folder, "log")}'`;
const log = () => (existsSync(join(folder, "log")) ? readFileSync(join(folder, "log"), "utf8") : "");

test("a new file is written, what must follow is done, and nothing else is left", async () => {
  await writeHostFile(shell(), file, "some\ntext äöü\n", done());
  expect(readFileSync(file, "utf8")).toBe("some\ntext äöü\n");
  expect(log()).toBe("done\n");
  expect(readdirSync(folder).sort()).toEqual(["interfaces", "log"]);
  expect(await readHostFile(shell(), file)).toEqual({ text: "some\ntext äöü\n", pending: false });
});

test("an existing file keeps its mode", async () => {
  writeFileSync(file, "before");
  chmodSync(file, 0o640);
  await writeHostFile(shell(), file, "after\n", done());
  expect(readFileSync(file, "utf8")).toBe("after\n");
  expect(statSync(file).mode & 0o777).toBe(0o640);
});

test("a text that is cut off during the transfer is not put in place", async () => {
  writeFileSync(file, "before");
  await expect(writeHostFile(shell(9), file, "a long text that breaks off\n", done())).rejects.toThrow();
  expect(readFileSync(file, "utf8")).toBe("before");
  expect(log()).toBe("");
  expect((await readHostFile(shell(), file)).pending).toBe(false);
});

test("a failed follow-up stays pending until it succeeds", async () => {
  await expect(writeHostFile(shell(), file, "text\n", "false")).rejects.toThrow();
  expect(await readHostFile(shell(), file)).toEqual({ text: "text\n", pending: true });
  await expect(finishHostFile(shell(), file, "false")).rejects.toThrow();
  expect((await readHostFile(shell(), file)).pending).toBe(true);
  await finishHostFile(shell(), file, done());
  expect(await readHostFile(shell(), file)).toEqual({ text: "text\n", pending: false });
  expect(log()).toBe("done\n");
});
