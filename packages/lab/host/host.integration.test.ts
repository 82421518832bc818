import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Secret } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { ProcessIdentity, World } from "@talosmith/lib/world/world.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { factoryService } from "../factory/service.ts";
import { stillWorld } from "../kernel/still-world.ts";
import { toyService } from "../kernel/toy-service.ts";
import {
  labBreakage,
  labCalls,
  labFaults,
  labMoreFaults,
  labOutages,
  labRestore,
  labSnapshot,
  labStatus,
  labStrike,
} from "./client.ts";
import { type LabHandle, readLab, writeLabFile } from "./lab-file.ts";
import { type ServeOptions, serveLab } from "./serve.ts";
import { startLab } from "./start.ts";
import { stopLab } from "./stop.ts";

const world = realWorld();
let folder: string;
let ending: AbortController;
let serving: Promise<void>[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-"));
  ending = new AbortController();
  serving = [];
});
afterEach(async () => {
  ending.abort();
  await Promise.allSettled(serving);
  rmSync(folder, { recursive: true, force: true });
});

function serve(options: Partial<ServeOptions> = {}, inWorld: World = world): Promise<void> {
  const services = [factoryService(), toyService()];
  const running = serveLab(inWorld, { folder, seed: "s", timeScale: "instant", services, ...options }, ending.signal);
  serving.push(running);
  return running;
}

async function served(options: Partial<ServeOptions> = {}): Promise<LabHandle> {
  const over = serve(options);
  let lab: LabHandle | undefined;
  while (lab === undefined) {
    await Promise.race([over, world.clock.sleep(5)]);
    lab = readLab(world, folder);
  }
  return lab;
}

/** One connection per call: the addresses of one test are reused by the next, and a kept connection would be dead then. */
const ask = async (url: string, init: RequestInit = {}) => {
  const answer = await fetch(url, { ...init, headers: { ...init.headers, connection: "close" } });
  return { status: answer.status, body: await answer.text() };
};
const say = (lab: LabHandle, word: string) => ask(`${lab.services.toy?.url}/say/${word}`);

test("a served lab is found through its folder, with the values its services publish", async () => {
  const lab = await served();
  const prefix = lab.block.replace(/\.0\/24$/, "");
  expect(lab).toMatchObject({
    process: world.processes.self(),
    control: { url: `http://${prefix}.254:7098` },
    services: { factory: { url: `http://${prefix}.2:8080` }, toy: { url: `http://${prefix}.3:7000` } },
  });
});

test("only its owner can read lab.json, and a printed handle does not show the secret", async () => {
  const lab = await served();
  expect(statSync(join(folder, "lab.json")).mode & 0o777).toBe(0o600);
  const secret = JSON.parse(readFileSync(join(folder, "lab.json"), "utf8")).control.secret;
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.stringify(lab)).not.toContain(secret);
});

test("the control endpoint refuses calls without the secret", async () => {
  const lab = await served();
  for (const authorization of ["", "Bearer ", "Bearer wrong"]) {
    const answer = await ask(`${lab.control.url}/stop`, { method: "POST", headers: { authorization } });
    expect(answer.status).toBe(401);
  }
  expect((await labStatus(world, lab)).block).toBe(lab.block);
});

test("a client without the secret is refused and disconnected before its body is sent", async () => {
  const lab = await served();
  const { hostname: host, port } = new URL(lab.control.url);
  const socket = await world.net.dial({ host, port: Number(port) });
  const answer = text(socket);
  socket.write("POST /restore HTTP/1.1\r\nhost: lab\r\nauthorization: Bearer wrong\r\ncontent-length: 200000000\r\n\r\n");
  expect(await answer).toMatch(/^HTTP\/1\.1 401 /);
});

test("status shows the lab's time, scale, seed, block, calls and faults", async () => {
  const lab = await served();
  await say(lab, "hello");
  expect(await labStatus(world, lab)).toEqual({
    now: expect.stringMatching(/^2026-01-01T/),
    seed: "s",
    timeScale: 2000,
    block: lab.block,
    calls: 1,
    pending: 0,
    faults: [],
    outages: [],
    services: lab.services,
  });
});

test("recorded calls can be read, all or only the new ones", async () => {
  const lab = await served();
  await say(lab, "one");
  await say(lab, "two");
  expect((await labCalls(world, lab)).map(({ resource }) => resource)).toEqual(["one", "two"]);
  expect((await labCalls(world, lab, 1)).map(({ resource }) => resource)).toEqual(["two"]);
});

test("faults set through the control endpoint take effect", async () => {
  const lab = await served();
  await labFaults(world, lab, [{ site: "GET /say", fault: { kind: "refuse", status: 503, message: "busy" } }]);
  expect(await say(lab, "hello")).toEqual({ status: 503, body: "busy" });
});

test("faults and outages can be listed, added and removed through the control endpoint", async () => {
  const lab = await served();
  await labMoreFaults(world, lab, [{ service: "toy", times: 1, fault: { kind: "refuse", status: 503, message: "busy" } }]);
  expect([await say(lab, "hello"), await say(lab, "hello")]).toEqual([
    { status: 503, body: "busy" },
    { status: 200, body: "hello " },
  ]);
  await labOutages(world, lab, [{ service: "toy", how: "refused" }]);
  await expect(say(lab, "hello")).rejects.toThrow();
  const { faults, outages, services, sites, refusals, strikes } = await labBreakage(world, lab);
  expect(faults).toMatchObject([{ matched: 2, fired: 1 }]);
  expect([outages, services, sites]).toEqual([[{ service: "toy", how: "refused" }], ["factory", "toy"], { toy: ["GET /say"] }]);
  expect([Object.keys(refusals), strikes["clock-forward"]?.args]).toEqual([["factory", "toy"], ["duration"]]);
  await labOutages(world, lab, []);
  expect((await say(lab, "hello")).status).toBe(200);
});

test("a strike through the control endpoint happens, and an invalid one is a user error", async () => {
  const lab = await served();
  const before = Date.parse((await labStatus(world, lab)).now);
  await labStrike(world, lab, "clock-forward", ["400d"]);
  expect(Date.parse((await labStatus(world, lab)).now) - before).toBeGreaterThanOrEqual(400 * 86_400_000);
  await expect(labStrike(world, lab, "lightning", [])).rejects.toMatchObject({ kind: "user", code: "LAB_STRIKE" });
  await expect(labOutages(world, lab, [{ service: "tea", how: "refused" }])).rejects.toMatchObject({ code: "LAB_OUTAGES" });
});

test("invalid faults are a user error in the client, too", async () => {
  const lab = await served();
  await expect(labFaults(world, lab, [{ occurrence: 0, fault: { kind: "cut-before" } }])).rejects.toMatchObject({
    kind: "user",
    code: "LAB_FAULT_RULES",
    detail: expect.stringContaining("0.occurrence"),
    hint: expect.any(String),
  });
});

test("a snapshot taken through the control endpoint can be restored through it", async () => {
  const lab = await served();
  await say(lab, "before");
  const snapshot = await labSnapshot(world, lab);
  await say(lab, "after");
  await labRestore(world, lab, snapshot);
  const { services } = JSON.parse(await labSnapshot(world, lab));
  expect(services.toy.log).toEqual([expect.stringMatching(/^before@/)]);
});

test("an invalid snapshot is a user error", async () => {
  const lab = await served();
  await expect(labRestore(world, lab, "nonsense")).rejects.toMatchObject({ kind: "user", code: "LAB_SNAPSHOT" });
});

test("stopping ends the lab, frees its addresses and removes lab.json", async () => {
  const lab = await served();
  expect(await stopLab(world, lab)).toBe("stopped");
  await Promise.all(serving);
  expect(readLab(world, folder)).toBeUndefined();
  await expect(say(lab, "hello")).rejects.toThrow();
  await expect(labStatus(world, lab)).rejects.toMatchObject({ code: "LAB_UNREACHABLE" });
});

test("aborting the signal ends the lab", async () => {
  const lab = await served();
  ending.abort();
  await Promise.all(serving);
  expect(readLab(world, folder)).toBeUndefined();
  await expect(say(lab, "hello")).rejects.toThrow();
});

test("a lab without calls ends after idleMinutes", async () => {
  const fast = realWorld({ timeScale: 600 });
  const began = fast.clock.monotonic();
  await serve({ idleMinutes: 2 }, fast);
  expect(fast.clock.monotonic() - began).toBeGreaterThanOrEqual(120_000);
});

test("a lab that receives calls does not end as idle", async () => {
  const still = stillWorld(world);
  let over = false;
  const running = serve({ idleMinutes: 2, timeScale: 1 }, still).then(() => {
    over = true;
  });
  while (readLab(world, folder) === undefined) await world.clock.sleep(5);
  const lab = readLab(world, folder) as LabHandle;
  for (let n = 0; n < 5; n++) {
    await say(lab, "still here");
    still.advance(119_000);
    await world.clock.sleep(20);
  }
  expect(over).toBe(false);
  still.advance(120_000);
  await running;
});

test("a lab ends when its parent process is dead", async () => {
  const parent: ProcessIdentity = { ...world.processes.self(), pid: 2 ** 22 + 1 };
  await serve({ parent }, realWorld({ timeScale: 20 }));
  expect(readLab(world, folder)).toBeUndefined();
});

test("a lab ends when its folder is removed", async () => {
  const fast = realWorld({ timeScale: 20 });
  const running = serve({}, fast);
  while (readLab(world, folder) === undefined) await world.clock.sleep(5);
  rmSync(folder, { recursive: true });
  await running;
});

test("a lab goes on when its file is missing for a moment, as while a restore moves the folder", async () => {
  const fast = realWorld({ timeScale: 20 });
  let looks = 0;
  const read = (path: string) => (path.endsWith("lab.json") && ++looks === 3 ? undefined : fast.files.read(path));
  const running = serve({}, { ...fast, files: { ...fast.files, read } });
  while (looks < 7 && (await Promise.race([running.then(() => "over"), world.clock.sleep(5)])) !== "over");
  expect(readLab(world, folder)).toBeDefined();
});

test("a second lab in the same folder is refused", async () => {
  await served();
  await expect(serve()).rejects.toMatchObject({ kind: "user", code: "LAB_RUNNING" });
});

test("a lab.json of a dead process is ignored", async () => {
  const dead = { ...world.processes.self(), bootId: "another boot" };
  writeLabFile(world, {
    folder,
    process: dead,
    control: { url: "http://127.0.0.1:1", secret: new Secret("x") },
    block: "",
    services: {},
  });
  expect(readLab(world, folder)).toBeUndefined();
  expect((await served()).process.pid).toBe(process.pid);
});

test("an unreadable lab.json is an error that names the file and a solution", () => {
  writeFileSync(join(folder, "lab.json"), "{");
  expect(() => readLab(world, folder)).toThrow(
    expect.objectContaining({ code: "LAB_FILE", hint: `remove it: rm ${join(folder, "lab.json")}` }),
  );
});

/** A world in which starting this program again runs the given script. */
function spawning(script: string): World & { pids: number[] } {
  const pids: number[] = [];
  const spawnSelf = (args: readonly string[], logFile: string) => {
    const log = openSync(logFile, "a");
    const child = spawn(process.execPath, ["-e", script, ...args], { stdio: ["ignore", log, log] });
    const pid = child.pid ?? 0;
    pids.push(pid);
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return { ...world.processes.self(), pid, startedAt: stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "" };
  };
  return { ...world, processes: { ...world.processes, spawnSelf }, pids };
}

test("startLab waits for the lab, and reuses a running one", async () => {
  let started: readonly string[] = [];
  const spawnSelf = (args: readonly string[]) => {
    started = args;
    void serve().catch(() => {});
    return world.processes.self();
  };
  const inProcess: World = { ...world, processes: { ...world.processes, spawnSelf } };
  const lab = await startLab(inProcess, { folder, args: ["--seed", "7"] });
  expect(started).toEqual(["lab", "serve", "--folder", folder, "--seed", "7"]);
  expect((await startLab(spawning("throw 1"), { folder, args: [] })).control.url).toBe(lab.control.url);
});

test("a lab that dies while starting is an error with its output", async () => {
  writeFileSync(join(folder, "lab.log"), "from an earlier run\n");
  const dying = spawning("console.error('Unable to open port 8006'); process.exit(1)");
  await expect(startLab(dying, { folder, args: [] })).rejects.toMatchObject({
    kind: "remote",
    code: "LAB_START",
    message: "Unable to start the lab: its process ended",
    detail: "Unable to open port 8006",
  });
});

test("a lab that never answers is killed after the time-out", async () => {
  const stuck = spawning("setInterval(() => {}, 1000)");
  await expect(startLab(stuck, { folder, args: [], timeoutMs: 500 })).rejects.toMatchObject({
    message: "Unable to start the lab: no answer in 0.5 s",
    detail: "the lab printed nothing",
  });
  await expect.poll(() => stuck.pids.map(lives), { interval: 10 }).toEqual([false]);
});

test("a lab that does not respond to the stop request is killed", async () => {
  const stuck = spawning("setInterval(() => {}, 1000)");
  const process = stuck.processes.spawnSelf([], join(folder, "lab.log"));
  const control = { url: "http://127.0.0.1:1", secret: new Secret("x") };
  writeLabFile(world, { folder, process, control, block: "", services: {} });
  const lab = readLab(world, folder);
  expect(lab).toBeDefined();
  expect(await stopLab(world, lab as LabHandle, 200)).toBe("killed");
  expect([world.processes.state(process), world.files.list(folder)]).toEqual(["dead", ["lab.log"]]);
});

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
