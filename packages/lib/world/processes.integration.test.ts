import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceFsCalls } from "../../../test/support/fs-calls.ts";
import { realProcesses } from "./processes.ts";
import type { ProcessIdentity } from "./world.ts";

const [, program] = process.argv;
let home: string;
let started: ProcessIdentity | undefined;

beforeEach(() => {
  home = fs.mkdtempSync(join(tmpdir(), "talosmith-processes-"));
});
afterEach(() => {
  process.argv[1] = program ?? "";
  if (started) realProcesses.end(started, "kill");
  started = undefined;
  fs.rmSync(home, { recursive: true });
});

const log = () => join(home, "log");
/** Only stops a hang: a busy machine starts a process slowly. */
const HANG = { timeout: 60_000 };
const said = () => expect.poll(() => (fs.existsSync(log()) ? fs.readFileSync(log(), "utf8") : ""), HANG);

/** Starts this program again, with the script as the program. */
function start(script: string, ...args: string[]): ProcessIdentity {
  process.argv[1] = join(home, "program.mjs");
  fs.writeFileSync(process.argv[1], script);
  started = realProcesses.spawnSelf(args, log());
  return started;
}

const WAITS = `
  process.on("SIGTERM", () => { console.log("asked"); process.exit(); });
  setInterval(() => {}, 1000);
  console.log("started");
`;

test("the program is started again with other arguments, in a session of its own, and its output is appended to the file", async () => {
  fs.writeFileSync(log(), "before\n");
  start(
    'console.log(JSON.stringify(process.argv.slice(2))); console.error("error"); setInterval(() => {}, 1000);',
    "lab",
    "--x=1",
  );
  await said().toBe('before\n["lab","--x=1"]\nerror\n');
  // A detached process leads its own group: a signal to the group reaches it.
  expect(process.kill(-(started?.pid ?? 0), 0)).toBe(true);
});

test("a new log is readable by its owner only, and is never opened through a link", async () => {
  start(WAITS);
  await said().toBe("started\n");
  expect(fs.statSync(log()).mode & 0o777).toBe(0o600);
  fs.symlinkSync(log(), join(home, "link"));
  expect(() => realProcesses.spawnSelf([], join(home, "link"))).toThrow(expect.objectContaining({ code: "ELOOP" }));
});

test("the log stays open only in the started process", async () => {
  const open: number[] = [];
  const restore = replaceFsCalls({
    openSync: (openSync) => (path: string, flags: number, mode: number) => {
      const file = openSync(path, flags, mode);
      open.push(file);
      return file;
    },
  });
  try {
    start(WAITS);
  } finally {
    restore();
  }
  expect(open.length).toBeGreaterThan(0);
  const isLog = (file: number) => fs.existsSync(`/proc/self/fd/${file}`) && fs.readlinkSync(`/proc/self/fd/${file}`) === log();
  expect(open.filter(isLog)).toEqual([]);
  await said().toBe("started\n");
});

test("a started process is alive by its identity until it ends", async () => {
  const child = start(WAITS);
  await said().toBe("started\n");
  expect(realProcesses.state(child)).toBe("alive");
  realProcesses.end(child, "ask");
  await said().toBe("started\nasked\n");
  await expect.poll(() => realProcesses.state(child), HANG).toBe("dead");
});

test("a process that is killed gets no chance to clean up", async () => {
  const child = start(WAITS);
  await said().toBe("started\n");
  realProcesses.end(child, "kill");
  await expect.poll(() => realProcesses.state(child), HANG).toBe("dead");
  await said().toBe("started\n");
});
