import { setMaxListeners } from "node:events";
import { chartsService } from "@talosmith/lab/charts/service.ts";
import { factoryService } from "@talosmith/lab/factory/service.ts";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { kubernetesService } from "@talosmith/lab/kubernetes/service.ts";
import { proxmoxService } from "@talosmith/lab/proxmox/service.ts";
import { talosService } from "@talosmith/lab/talos/service.ts";
import { asTalosmithError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EventBus } from "../../../src/engine/bus.ts";
import type { Session } from "../../../src/engine/context.ts";
import type { Event } from "../../../src/engine/event.ts";
import { plainView } from "../../../src/views/plain-view.ts";
import { reportView } from "../../../src/views/report-view.ts";
import { bringUp } from "../../../src/workflows/bring-up.ts";
import { diagnose } from "../../../src/workflows/doctor.ts";
import { planEnvironment } from "../../../src/workflows/plan.ts";
import { ALL_STAGES } from "../../../src/workflows/stages.ts";
import { showStatus } from "../../../src/workflows/status.ts";
import { verifyEnvironment } from "../../../src/workflows/verify.ts";
import { Chance } from "../../support/chance.ts";
import { labConfig } from "../../support/config.ts";
import { testWorld } from "../../support/test-world.ts";
import { VolatileFiles } from "../../support/volatile-files.ts";
import { spoil } from "./spoil.ts";
import { type Answer, spoiledLab } from "./spoiled-lab.ts";

/* A whole cluster answers, and one of its responses is wrong: our error must be written for a person, and nothing may be changed. */

const FULL = process.env.FULL !== undefined;
/** A fifth of a second each; three in one command are as good, as long as nothing is wrong. */
const COUNT = FULL ? 3_000 : 90;
const AT_ONCE = FULL ? 1 : 3;
/** Slow enough that work that takes long on a busy machine is not taken for silence. */
const TIME_SCALE = 60;
const FOLDER = "/env";

const spoiler = { spoil: (_: Answer) => {} };
let lab: RunningLab;
let token = "";
const files = new VolatileFiles();
let pid = 5000;

type Command = (session: Session & { redactor: Redactor }) => Promise<number>;
const COMMANDS: Record<string, Command> = {
  plan: (session) => planEnvironment(session, FOLDER, ALL_STAGES),
  status: (session) => showStatus(session, FOLDER),
  doctor: (session) => diagnose(session, FOLDER),
  verify: (session) => verifyEnvironment(session, FOLDER),
};

interface Ended {
  exitCode: number;
  events: readonly Event[];
  /** The output as a person sees it. */
  shown: string;
  cpuMs: number;
}

async function run(command: Command, patienceMs = 60_000): Promise<Ended> {
  const world = testWorld({ files, timeScale: TIME_SCALE, env: { LAB_TOKEN: token }, self: { pid: pid++ } });
  const redactor = new Redactor();
  const bus = new EventBus(world.clock, redactor);
  const events: Event[] = [];
  let shown = "";
  const write = (text: string) => {
    shown += text;
  };
  const view = plainView({ write, columns: () => 120, rows: () => 40, isTerminal: false, colour: false });
  bus.listen((event) => {
    events.push(event);
    view.event(event);
  });
  const signal = AbortSignal.timeout(patienceMs);
  setMaxListeners(0, signal);
  const before = process.cpuUsage();
  const exitCode = await command({ world, bus, redactor, signal, mayMutate: () => {} }).catch((error: unknown) => {
    bus.emit({ type: "error", error: asTalosmithError(error).report() });
    return 1;
  });
  const { user, system } = process.cpuUsage(before);
  return { exitCode, events, shown, cpuMs: (user + system) / 1000 };
}

beforeAll(async () => {
  const services = [
    factoryService({ buildMs: 500 }),
    proxmoxService({ rootPassword: "answers-root" }),
    chartsService({ charts: [] }),
    talosService(),
    kubernetesService(),
  ];
  lab = await spoiledLab("answers", services, TIME_SCALE, spoiler);
  const { proxmox = {}, factory = {}, charts = {} } = lab.published();
  token = proxmox.token ?? "";
  const at = {
    block: lab.address.prefix,
    url: proxmox.url ?? "",
    fingerprint: proxmox.fingerprint ?? "",
    token,
    factory: factory.url ?? "",
    charts: charts.url ?? "",
    hosts: (proxmox.hosts ?? "").split(",").slice(0, 1),
  };
  files.makeFolder(FOLDER, 0o700);
  files.write(`${FOLDER}/config.yaml`, Buffer.from(labConfig(at, { workers: 1, cilium: true })), 0o644);
  const wish = { stages: ALL_STAGES, allowRemove: [], removeAddons: [], confirm: async () => true };
  const up = await run((session) => bringUp(session, FOLDER, wish, reportView()), 200_000);
  expect(up.exitCode, up.shown).toBe(0);
}, 240_000);
afterAll(() => lab.close());

/** All responses to a command when nothing is wrong. */
async function answersOf(command: Command): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  spoiler.spoil = ({ site }) => void seen.set(site, (seen.get(site) ?? 0) + 1);
  const { exitCode, shown } = await run(command);
  expect(exitCode, shown).toBe(0);
  return seen;
}

/** Messages of programming errors. */
const OUR_OWN_WORDS =
  /Cannot read prop|is not a function|is not iterable|Maximum call stack|undefined \(|Invalid array length|is not defined|Unexpected token|JSON at position|inside talosmith|circular structure|Invalid time value|URI malformed|Cannot convert|Cannot mix|not a valid/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

test(`${COUNT} spoiled responses are reported with an appropriate error`, async () => {
  const names = FULL ? Object.keys(COMMANDS) : Object.keys(COMMANDS).filter((name) => name !== "verify");
  const usual = new Map<string, [string, number][]>();
  for (const name of names) usual.set(name, [...(await answersOf(COMMANDS[name] as Command))]);
  const surprises: string[] = [];
  const places = new Set<string>();
  let spoiled = 0;
  for (let seed = 1; spoiled < COUNT && seed <= COUNT * 2; seed++) {
    const chance = new Chance(seed);
    const name = chance.of(names);
    const targets = new Map(Array.from({ length: AT_ONCE }, () => aim(chance, usual.get(name) ?? [])));
    const bodies: string[] = [];
    const seen = new Map<string, number>();
    spoiler.spoil = (answer) => {
      const { site } = answer;
      const count = seen.get(site) ?? 0;
      seen.set(site, count + 1);
      if (targets.get(site) !== count) return;
      spoil(answer, chance);
      places.add(`${name} ${site}`);
      spoiled++;
      bodies.push(`${site}: ${answer.status} ${answer.body.toString("utf8").slice(0, 300)}`);
    };
    const wrong = wrongWith(name, await run(COMMANDS[name] as Command));
    if (wrong.length > 0) surprises.push([`seed ${seed}, ${name}: ${wrong.join("; ")}`, ...bodies].join("\n  "));
    // The first few are enough.
    if (surprises.length >= 5) break;
  }
  console.info(`spoiled answers: ${spoiled} at ${places.size} places, surprises ${surprises.length}`);
  expect(surprises.join("\n\n")).toBe("");
  expect(spoiled).toBeGreaterThan(COUNT / 2);
});

/** Chooses one of the responses at a site. */
function aim(chance: Chance, all: readonly [string, number][]): [string, number] {
  const [site, times] = chance.of(all);
  return [site, chance.below(times)];
}

function wrongWith(name: string, { events, shown, cpuMs }: Ended): string[] {
  const text = JSON.stringify(events);
  const words = OUR_OWN_WORDS.exec(text);
  const internal = /"kind":"internal","code":"\w+","message":"[^"]*/.exec(text);
  const control = CONTROL.exec(shown);
  return [
    ...(internal ? [internal[0]] : []),
    ...(words ? [`our own words: ${text.slice(Math.max(0, words.index - 200), words.index + 200)}`] : []),
    ...(control ? [`the control character ${JSON.stringify(control[0])} is shown`] : []),
    ...(name !== "verify" && events.some(({ type }) => type === "mutation.intent") ? ["something was changed"] : []),
    ...(shown.length > 200_000 ? [`${shown.length} letters are shown`] : []),
    ...(cpuMs > 10_000 ? [`it took ${Math.round(cpuMs)} ms`] : []),
  ];
}
