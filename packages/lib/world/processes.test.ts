import * as os from "node:os";
import { afterEach, expect, test, vi } from "vitest";
import { replaceFsCalls } from "../../../test/support/fs-calls.ts";
import { realProcesses } from "./processes.ts";

const MACHINE_ID = "0123456789abcdef0123456789abcdef";

/** A kernel's files and links under /proc and /etc; those that are undefined do not exist. */
interface System {
  [path: string]: string | undefined;
}

/** proc(5): the command's name is in brackets, then come the state and 18 numbers before the start time. */
const stat = (pid: number, name: string, state: string, started: number) =>
  `${pid} (${name}) ${state} ${Array.from({ length: 18 }, (_, index) => index).join(" ")} ${started} 77 88\n`;

const LINUX: System = {
  "/proc/self": String(process.pid),
  "/proc/self/ns/pid": "pid:[4026531836]",
  "/proc/sys/kernel/random/boot_id": "boot\n",
  "/etc/machine-id": `${MACHINE_ID}\n`,
  [`/proc/${process.pid}/stat`]: stat(process.pid, "node", "R", 1000),
};

let restore = () => {};
afterEach(() => {
  restore();
  vi.restoreAllMocks();
});

/** Reads this system in place of the real one. `signal`: the error code when process 42 gets a signal; absent = it gets it. */
function on(system: System, signal?: string) {
  const look = (path: unknown) => {
    const found = system[String(path)];
    if (found === undefined) throw Object.assign(new Error(`no ${path}`), { code: "ENOENT" });
    return found;
  };
  restore = replaceFsCalls({ readFileSync: () => look, readlinkSync: () => look });
  return vi.spyOn(process, "kill").mockImplementation((pid) => {
    if (pid === 42 && signal !== undefined) throw Object.assign(new Error(signal), { code: signal });
    return true;
  });
}

/** Process 42 of the same boot and pid namespace. */
const process42 = (startedAt: string) => ({ ...realProcesses.self(), pid: 42, startedAt });

test("a process on Linux is identified by its start, boot, pid namespace and machine", () => {
  on(LINUX);
  expect(realProcesses.self()).toEqual({
    pid: process.pid,
    startedAt: "1000",
    bootId: "boot",
    pidNamespace: "pid:[4026531836]",
    machineId: MACHINE_ID,
    host: os.hostname(),
  });
});

test("a process on a system without /proc is identified by its number and host alone", () => {
  on({ "/etc/machine-id": `${MACHINE_ID}\n` });
  expect(realProcesses.self()).toEqual({
    pid: process.pid,
    startedAt: "",
    bootId: "",
    pidNamespace: "",
    machineId: "",
    host: os.hostname(),
  });
});

test("the machine id of a container is not used, because containers of one image can share it", () => {
  on({ ...LINUX, "/proc/self/ns/pid": "pid:[4026532281]" });
  expect(realProcesses.self().machineId).toBe("");
});

test.each(["uninitialized", "", `${MACHINE_ID}0`, MACHINE_ID.slice(1), MACHINE_ID.toUpperCase()])(
  "%j is not used as a machine id",
  (text) => {
    on({ ...LINUX, "/etc/machine-id": text });
    expect(realProcesses.self().machineId).toBe("");
  },
);

test.each([
  ["runs since the same time", "2000", stat(42, "talosmith", "S", 2000), "alive"],
  ["has a name with blanks and brackets", "2000", stat(42, "a) Z (b", "S", 2000), "alive"],
  ["was started later, under the number of an ended one", "2000", stat(42, "talosmith", "S", 2001), "dead"],
  ["is a zombie", "2000", stat(42, "talosmith", "Z", 2000), "dead"],
  ["hides its start", "2000", undefined, "alive"],
  ["hides the rest of its state", "2000", "42 (talosmith) S 1 2", "alive"],
] as const)("a process that %s is judged by its start", (_, startedAt, now, state) => {
  on({ ...LINUX, "/proc/42/stat": now });
  expect(realProcesses.state(process42(startedAt))).toBe(state);
});

test("a /proc of another pid namespace is not believed: its numbers are of other processes", () => {
  on({ ...LINUX, "/proc/self": "1", "/proc/42/stat": stat(42, "other", "S", 9999) });
  expect(realProcesses.state(process42("2000"))).toBe("alive");
});

test.each([
  ["ESRCH", "dead"],
  ["EPERM", "alive"],
])("a process whose signal fails with %s is %s", (code, state) => {
  on(LINUX, code);
  expect(realProcesses.state(process42(""))).toBe(state);
});

test("looking at a process sends it no signal", () => {
  const kill = on({ ...LINUX, "/proc/42/stat": stat(42, "talosmith", "S", 2000) });
  realProcesses.state(process42("2000"));
  expect(kill.mock.calls).toEqual([[42, 0]]);
});

test.each([
  ["ask", "SIGTERM"],
  ["kill", "SIGKILL"],
] as const)("to %s a process to end is to send %s", (how, signal) => {
  const kill = on({ ...LINUX, "/proc/42/stat": stat(42, "talosmith", "S", 2000) });
  realProcesses.end(process42("2000"), how);
  expect(kill.mock.calls.at(-1)).toEqual([42, signal]);
});

test("a process that is gone, or whose number is another process's by now, gets no signal", () => {
  const kill = on({ ...LINUX, "/proc/42/stat": stat(42, "other", "S", 3000) });
  realProcesses.end(process42("2000"), "kill");
  expect(kill.mock.calls).toEqual([[42, 0]]);
});

test("this process is alive, and its identity without a living process is dead", () => {
  expect(realProcesses.state(realProcesses.self())).toBe("alive");
  expect(realProcesses.state({ ...realProcesses.self(), startedAt: "1" })).toBe(process.platform === "linux" ? "dead" : "alive");
});
