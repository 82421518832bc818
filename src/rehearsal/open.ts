import { createHash } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { internalError, userError } from "@talosmith/lib/errors.ts";
import { after, formatIp, parseNetwork } from "@talosmith/lib/ip.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { closedNet } from "@talosmith/lib/world/closed-net.ts";
import { LayeredFiles } from "@talosmith/lib/world/layered-files.ts";
import { type SkippingClock, skippingClock } from "@talosmith/lib/world/skipping-clock.ts";
import { wiredWorld } from "@talosmith/lib/world/wire.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Config } from "../config/config.ts";
import { type Environment, environmentFolder } from "../environment/environment.ts";
import { OF_A_CLUSTER } from "../environment/place.ts";
import { definitionOf, PLATFORMS } from "../platforms/all.ts";
import { openEnvironment } from "../platforms/environment.ts";
import type { LabServices, LabShape } from "../platforms/lab.ts";
import { placesOf, wireOf } from "./connections.ts";
import { type RehearsalEvent, requireKnown, withNodesOf } from "./events.ts";
import { scale } from "./scale.ts";
import { servicesFor } from "./site.ts";
import { putStandIns } from "./stand-ins.ts";

/** An environment on a lab that is shaped like its site. */
export interface Rehearsal {
  env: Environment;
  lab: RunningLab;
  shape: LabShape;
  /** The world of the rehearsed commands: files change in memory only, and connections lead to the lab or nowhere. */
  world: World;
  files: LayeredFiles;
  /** Connections that were refused because they lead out of the lab. */
  refused: readonly string[];
  close(): Promise<void>;
}

/** Machines that exist already were switched on long ago. */
const BOOT_MS = 180_000;

export interface RehearsalOptions {
  seed: string;
  events?: readonly RehearsalEvent[];
  /** The lab has what the real site has at the moment, which is read with the real credentials. */
  likeReal?: boolean;
}

/** Starts a lab for an environment. Nothing of the environment is changed: what the commands write stays in memory. */
export async function openRehearsal(
  real: World,
  folder: string,
  redactor: Redactor,
  { seed, events = [], likeReal = false }: RehearsalOptions,
  signal: AbortSignal,
): Promise<Rehearsal> {
  const clock = skippingClock();
  const user = copyOf(real, environmentFolder(real, folder), clock, seed);
  user.putCredentials({}, await anyKey(real));
  const env = openEnvironment(user.world, folder, redactor);
  const open = () => openEnvironment(user.world, folder, redactor);
  const config = withNodesOf(env.config, scaledConfigs(user.files, folder, events, open));
  const shape = likeReal ? await realShapeOf(real, openEnvironment(real, folder, redactor), signal) : await shapeOf(config);
  requireKnown(events, config, shape);
  let inside: readonly string[] = [];
  const net = closedNet(real.net, (host) => inside.some((start) => host.startsWith(start)), outside);
  const { createLab } = await import("@talosmith/lab/kernel/lab.ts");
  const lab = await createLab(
    { ...real, clock, keys: clock.keys(real.keys), net },
    {
      seed,
      timeScale: 1,
      services: await servicesFor(shape),
      places: placesOf(config),
      names: { [new URL(env.config.image.factory).host]: "factory" },
      privateNodes: env.config.network.via === "ssh",
      ...clientOf(env),
    },
  );
  inside = [`${lab.address.prefix}.`, ...(lab.redirects ? ["127.0.0.1"] : [])];
  try {
    await lab.start();
    if (shape.machines || shape.servers) await lab.sleep(BOOT_MS);
    const services = lab.published();
    user.putCredentials(services, keyOf(services));
    const wire = wireOf(config, shape, services, (place) => lab.address.host(place));
    const world = wiredWorld({ ...user.world, net: lab.world.net }, wire);
    return { env, lab, shape, world, files: user.files, refused: net.refused, close: () => lab.close() };
  } catch (error) {
    await lab.close();
    throw error;
  }
}

/** The config after each event that changes it. The copy is left as it was. */
function scaledConfigs(
  files: LayeredFiles,
  folder: string,
  events: readonly RehearsalEvent[],
  open: () => Environment,
): readonly Config[] {
  const scaled = events.flatMap((event) => (event.is === "scale" ? [event] : []));
  const restore = files.keep();
  try {
    return scaled.map(({ name, count }) => {
      scale(files, folder, name, count);
      return open().config;
    });
  } finally {
    restore();
  }
}

async function shapeOf(config: Config): Promise<LabShape> {
  const shape = await definitionOf(config).lab?.shape?.(config);
  if (shape) return shape;
  throw userError("REHEARSAL_PLATFORM", {
    message: `Unable to rehearse an environment on ${config.platform}: the lab does not simulate it`,
    hint: `the lab simulates ${PLATFORMS.flatMap(({ name, lab }) => (lab?.shape ? [name] : [])).join(", ")}`,
  });
}

async function realShapeOf(real: World, env: Environment, signal: AbortSignal): Promise<LabShape> {
  const shape = await definitionOf(env.config).lab?.realShape?.(real, env, signal);
  if (shape) return shape;
  throw userError("REHEARSAL_PLATFORM", {
    message: `Unable to copy the real site: that is not possible on ${env.config.platform}`,
    hint: "run it without --like-real: the lab then has what the config describes",
  });
}

/** Firewalls of the nodes see a client from the first network of `firewall.admin`, because the real client is one of those. */
function clientOf({ config }: Environment): { client?: string } {
  const network = parseNetwork(config.firewall?.admin[0] ?? "");
  if (!network) return {};
  const isHost = network.first === network.last;
  return { client: formatIp(isHost ? network.address : after(network.address, 1)) };
}

/** The key of a login that the lab accepts. */
const keyOf = ({ ssh, rescue }: LabServices) => ssh?.key ?? rescue?.key ?? "";

/** A valid private key, until the lab has one. */
async function anyKey({ keys }: World): Promise<string> {
  const { privateKey } = await keys.ed25519();
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The files and the variables that rehearsed commands see: those of the user without the environment's state, and with the lab's credentials. */
function copyOf(real: World, folder: string, clock: SkippingClock, seed: string) {
  const home = real.env("HOME") || "/home/rehearsal";
  const ssh = join(home, ".ssh");
  const isState = (path: string) => dirname(path) === folder && OF_A_CLUSTER.test(basename(path));
  const files = new LayeredFiles(
    real.files,
    (path) => isState(path) || path === ssh,
    () => real.clock.now(),
  );
  const env = new Map<string, string>([["HOME", home]]);
  const world: World = {
    ...real,
    clock,
    random: seeded(seed),
    keys: clock.keys(real.keys),
    files,
    env: (name) => env.get(name) ?? (name === "SSH_AUTH_SOCK" ? undefined : real.env(name)),
    processes: { ...real.processes, spawnSelf: startsNothing, end: startsNothing },
    net: closedNet(real.net, () => false, outside),
  };
  const putCredentials = (services: LabServices, key: string) => {
    files.put(join(ssh, "id_ed25519"), key);
    const credentials = PLATFORMS.flatMap(({ lab }) => lab?.credentials(services) ?? []);
    putStandIns({ world: real, folder: resolve(folder), files, env }, credentials, key);
  };
  return { world, files, putCredentials };
}

/** Derives ids from the seed, so that the same seed gives the same machines. */
function seeded(seed: string): World["random"] {
  let n = 0;
  const block = () => createHash("sha256").update(`${seed} ${n++}`).digest();
  return {
    bytes: (count) => Buffer.concat(Array.from({ length: Math.ceil(count / 32) }, block)).subarray(0, count),
  };
}

function startsNothing(): never {
  throw internalError("REHEARSAL_PROCESS", { message: "A rehearsed command must not start or end a process" });
}

function outside(place: string): Error {
  return userError("REHEARSAL_OUTSIDE", {
    message: `Unable to connect to ${place}: it is not part of the lab`,
    detail: "A rehearsal connects to nothing but its lab.",
    hint: "the config names a server that the lab does not simulate; leave it out of a copy of the config to rehearse the rest",
  });
}
