import { asTalosmithError, type ErrorReport, type TalosmithError } from "@talosmith/lib/errors.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { beforeAll, expect, test } from "vitest";
import { type Failure, failingFiles } from "../../test/support/failing-files.ts";
import { type TestSession, testSession } from "../../test/support/toy.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { readJournal } from "../engine/journal.ts";
import { reportView } from "../views/report-view.ts";
import { bringUp } from "./bring-up.ts";

const FOLDER = "/env";
const STATE = `${FOLDER}/.talosmith`;
/** With FULL=1 every operation; else some, always the same ones. */
const EVERY = process.env.FULL === undefined ? 16 : 1;

const config = (workers: number) => `platform: metal
cluster: { name: full, endpoint: 127.9.9.11, talos: v1.13.9 }
network: { cidr: 127.9.9.0/24, gateway: 127.9.9.250 }
nodes:
  - { name: cp-1, role: controlplane, ip: 127.9.9.11 }
  - { name: worker, role: worker, count: ${workers}, ip: 127.9.9.21 }
`;

function configured(files: VolatileFiles, workers: number): VolatileFiles {
  files.makeFolder(FOLDER, 0o700);
  files.syncFolder("/");
  files.write(`${FOLDER}/config.yaml`, Buffer.from(config(workers)), 0o644);
  files.sync(`${FOLDER}/config.yaml`);
  files.syncFolder(FOLDER);
  return files;
}

interface Ended {
  exitCode: number;
  session: TestSession;
  thrown?: TalosmithError;
}

let pid = 100;

/** Nothing is contacted: machines that wait are asked only by later stages. */
async function up(files: Files): Promise<Ended> {
  const session = testSession({ files, self: { pid: pid++ }, seed: `run ${pid}` });
  const wish = { stages: { from: "preflight", until: "generate" } as const, allowRemove: [], confirm: async () => true };
  try {
    return { exitCode: await bringUp(session, FOLDER, wish, reportView()), session };
  } catch (error) {
    return { exitCode: 1, session, thrown: asTalosmithError(error) };
  }
}

function errorsOf({ session, thrown }: Ended): ErrorReport[] {
  const told = session.events.flatMap((event) =>
    event.type === "error" || (event.type === "step.finished" && event.error) ? [event.error as ErrorReport] : [],
  );
  return [...told, ...(thrown ? [thrown.report()] : [])];
}

/** Files that a user or a cluster relies on, with their content. */
const contents = (files: VolatileFiles): Map<string, string> =>
  new Map(
    files
      .paths()
      .filter((path) => /^\/env\/[^.][^/]*$/.test(path) && files.stat(path)?.kind === "file" && !path.endsWith("/outputs.json"))
      .map((path) => [path, Buffer.from(files.read(path) ?? []).toString("utf8")]),
  );

/** Whatever a power cut leaves, the journal speaks of what has been written. */
function unannounced(before: ReadonlyMap<string, string>, files: VolatileFiles): string[] {
  const runs = (files.list(`${STATE}/runs`) ?? []).flatMap((run) =>
    readJournal(files.afterCrash(), `${STATE}/runs/${run}/events.jsonl`),
  );
  const intents = runs.flatMap((event) => (event.type === "mutation.intent" ? [event.what] : []));
  return [...contents(files)]
    .filter(([path, text]) => before.get(path) !== text)
    .map(([path]) => (/(controlplane|worker|patch-[\w-]+)\.yaml$/.test(path) ? "machine configs" : path.slice(FOLDER.length + 1)))
    .filter((name) => !intents.includes(`write ${name}`));
}

async function violations(before: VolatileFiles, after: ReadonlyMap<string, string>, failure: Failure): Promise<string[]> {
  const found: string[] = [];
  const files = before.afterKill();
  const old = contents(files);
  const failing = failingFiles(files, failure);
  const ended = await up(failing);
  const errors = errorsOf(ended);
  for (const { code, message, hint } of errors)
    if (code !== "DISK_FULL" || !hint) found.push(`it says ${code}: ${message} (${hint ?? "no hint"})`);
  if (ended.exitCode !== 0 && errors.length === 0) found.push("it failed and did not say why");
  const warned = ended.session.events.some((event) => event.type === "notice" && event.message.includes("is not complete"));
  if (ended.exitCode === 0 && failure.lasting && !warned) found.push("it does not say that something could not be written");
  const started = ended.session.events.some((event) => event.type === "run.started");
  if (started !== ended.session.events.some((event) => event.type === "run.finished"))
    found.push("the run was not brought to an end");
  found.push(...unannounced(old, files).map((name) => `${name} was written without a durable intent`));
  for (const path of files.paths()) if (/\.new$|\/lock(\/|\.(?!was-))/.test(path)) found.push(`it left ${path}`);
  const left = contents(files);
  for (const path of old.keys()) if (!left.has(path)) found.push(`${path} is gone`);
  // There is room again.
  const again = await up(files);
  if (again.exitCode !== 0) found.push(`the next run fails: ${errorsOf(again).map(({ message }) => message)}`);
  const now = contents(files);
  for (const path of after.keys()) if (!now.has(path)) found.push(`${path} was not made by the next run`);
  for (const [path, text] of left)
    if (text !== now.get(path) && text !== old.get(path)) found.push(`${path} was neither as before nor as it should be`);
  if (old.has(`${FOLDER}/secrets.yaml`) && now.get(`${FOLDER}/secrets.yaml`) !== old.get(`${FOLDER}/secrets.yaml`))
    found.push("secrets.yaml was replaced");
  const operation = failing.operations[failure.at - 1];
  return found.map((line) => `${failure.lasting ? "from" : "once at"} "${operation}": ${line}`);
}

let empty: VolatileFiles;
let made: VolatileFiles;
let grown: VolatileFiles;

beforeAll(async () => {
  empty = configured(new VolatileFiles(), 1);
  const files = empty.afterKill();
  const first = await up(files);
  expect(first.exitCode, JSON.stringify(errorsOf(first))).toBe(0);
  made = files;
  grown = configured(made.afterKill(), 2);
});

test.each([
  ["the first run", () => empty],
  ["a run that changes files", () => grown],
])(
  "a disk that is full at any operation of %s: an error with a hint, whole files, and the next run finishes",
  async (name, start) => {
    const whole = start().afterKill();
    const counting = failingFiles(whole, { at: 0, code: "ENOSPC" });
    expect((await up(counting)).exitCode).toBe(0);
    const all = counting.operations.length;
    expect(all).toBeGreaterThan(20);
    const found: string[] = [];
    let tried = 0;
    for (let at = 1; at <= all; at++)
      for (const lasting of [true, false])
        if ((at + (lasting ? 0 : EVERY >> 1)) % EVERY === 0) {
          tried++;
          found.push(...(await violations(start(), contents(whole), { at, code: "ENOSPC", lasting })));
        }
    console.log(`files: ${name}: a full disk ${tried} times, at some of ${all} operations; violations ${found.length}`);
    expect(found).toEqual([]);
  },
);
