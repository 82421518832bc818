// Overwrites a disk of this machine through its own SSH server: `play.mjs FOLDER SSHD`; as `play.mjs one SETTINGS`, once.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { Secret } from "@talosmith/lib/secret.ts";
import { smallImage } from "../../../src/takeover/testing/small-image.ts";
import { HEAD_BYTES } from "../../../src/takeover/write/commands.ts";
import { expectTaken, type RealDisk, realDisk } from "./disk.ts";
import { type Images, serveImages } from "./images.ts";
import { overwrite } from "./overwrite.ts";
import { KINDS, type Kind, Servers } from "./servers.ts";
import { expectSurvey } from "./survey.ts";

const PERCENTS = [0, 1, 10, 37, 50, 73, 99, 100];

/** Every point in every manner and by every way (FULL=1), or each point once. */
const FULL = process.env.FULL !== undefined;

/** Larger than an SSH window, and than a few strides. */
const image = smallImage(9);

interface Stage {
  folder: string;
  servers: Servers;
  images: Images;
  disk: RealDisk;
}

async function play(folder: string, sshd: string): Promise<string> {
  const servers = new Servers(folder);
  const disk = realDisk(folder);
  const images = await serveImages(image);
  const stage = { folder, servers, images, disk };
  try {
    await servers.start(sshd);
    const right = await everyWay(stage);
    const times = await cutOffEverywhere(stage, right);
    await anotherKey(stage);
    const survey = await expectSurvey(servers.target("whole"));
    return `${Object.keys(KINDS).length} kinds of servers, ${times} times cut off and run again, on a ${disk.kind}; ${survey}`;
  } finally {
    servers.stop();
    images.close();
    disk.remove();
  }
}

/** The same bytes by every way. */
async function everyWay({ servers, images, disk }: Stage): Promise<Buffer> {
  let right: Buffer | undefined;
  for (const [kind, { way }] of Object.entries(KINDS)) {
    disk.refill();
    const taken = await overwrite({ target: servers.target(kind as Kind), disk: disk.path, url: images.url });
    assert.equal(taken.way, way, kind);
    expectTaken(disk, image);
    right ??= disk.read();
    assert.equal(disk.read().equals(right), true, `${kind}: the same bytes as by the other ways`);
  }
  assert.ok(right);
  return right;
}

type Cut = (stage: Stage, kind: Kind, percent: number) => Promise<void>;

async function cutOffEverywhere(stage: Stage, right: Buffer): Promise<number> {
  const kinds: readonly Kind[] = ["whole", "gzip", "dd"];
  const cuts: readonly Cut[] = [processKilled, connectionDestroyed];
  const every = PERCENTS.flatMap((percent) => kinds.flatMap((kind) => cuts.map((cut) => ({ percent, kind, cut }))));
  // One at each point, another one every time.
  const turns = kinds.length * cuts.length;
  const some = every.filter((_, n) => FULL || n % turns === Math.floor(n / turns) % turns);
  for (const one of some) await cutOff(stage, right, one);
  return some.length;
}

/** Never something to start from that is not whole; and whole when it is done again, though what was left behind may still be writing. */
async function cutOff(
  stage: Stage,
  right: Buffer,
  { percent, kind, cut }: { percent: number; kind: Kind; cut: Cut },
): Promise<void> {
  const { servers, images, disk } = stage;
  const told = `${cut.name} at ${percent} % (${kind})`;
  disk.refill();
  await cut(stage, kind, percent);
  const half = disk.read();
  const isBlank = half.subarray(0, HEAD_BYTES).equals(Buffer.alloc(HEAD_BYTES));
  assert.equal(isBlank || half.equals(right), true, `${told}: nothing to start from`);
  await overwrite({ target: servers.target(kind), disk: disk.path, url: images.url });
  assert.equal(disk.read().equals(right), true, `${told}: run again, it ends right`);
}

async function connectionDestroyed({ servers, images, disk }: Stage, kind: Kind, percent: number): Promise<void> {
  const sockets: Socket[] = [];
  images.stopNext({ percent, reached: () => sockets.at(-1)?.destroy() });
  const connected = (socket: Socket) => sockets.push(socket);
  const run = overwrite({ target: servers.target(kind), disk: disk.path, url: images.url, connected });
  await run.then(
    () => assert.fail("it went on without its connection"),
    (error) => assert.equal(error.code, "SSH_COMMAND_LOST"),
  );
}

async function processKilled({ folder, servers, images, disk }: Stage, kind: Kind, percent: number): Promise<void> {
  const { key, ...target } = servers.target(kind);
  const settings = { target, key: `${folder}/user`, disk: disk.path, url: images.url };
  const child = spawn(process.execPath, [process.argv[1] ?? "", "one", JSON.stringify(settings)], { stdio: "ignore" });
  const ended = new Promise<string | null>((done) => child.once("exit", (_, signal) => done(signal)));
  images.stopNext({ percent, reached: () => child.kill("SIGKILL") });
  assert.equal(await ended, "SIGKILL");
}

async function anotherKey({ servers, images, disk }: Stage): Promise<void> {
  disk.refill();
  const before = disk.read();
  const hostKey = `SHA256:${"A".repeat(43)}`;
  await assert.rejects(overwrite({ target: { ...servers.target("whole"), hostKey }, disk: disk.path, url: images.url }), {
    code: "SSH_HOST_KEY",
  });
  assert.equal(disk.read().equals(before), true, "nothing is written for a host with another key");
}

const [first = "", second = ""] = process.argv.slice(2);
if (first === "one") {
  const { target, key, ...rest } = JSON.parse(second);
  await overwrite({ ...rest, target: { ...target, key: new Secret(readFileSync(key, "utf8")) } });
} else console.log(await play(first, second));
