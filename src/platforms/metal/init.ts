import { after, contains, formatIp, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import type { Addresses } from "../../config/examples/addresses.ts";
import { type Answers, BLANK } from "../../config/examples/answers.ts";
import * as words from "../../config/schema/words.ts";
import type { Session } from "../../engine/context.ts";
import type { PlatformSession } from "../command-session.ts";
import type { NewConfig } from "../definition.ts";
import { type InitWishes, sharedAnswers } from "../init-answers.ts";
import { checkedBy, type Questions } from "../questions.ts";
import { METAL_EXAMPLE, type MetalAnswers, metalExample } from "./config/example.ts";

interface MetalWishes extends InitWishes {
  installDisk?: string;
}

export async function writeMetal(
  session: PlatformSession,
  folder: string,
  wishes: MetalWishes,
  ask?: Questions,
): Promise<NewConfig> {
  return { text: metalExample(session.platforms, await (ask ? interview(session, folder, wishes, ask) : given(folder, wishes))) };
}

const TALOS_PORT = 50_000;

/** Answers without questions. A floating endpoint needs MAC addresses that no flag gives: they are left blank. */
async function given(folder: string, wishes: MetalWishes): Promise<MetalAnswers> {
  const shared = await sharedAnswers(folder, wishes, METAL_EXAMPLE, undefined, ({ controlPlane }) => controlPlane);
  return {
    ...shared,
    installDisk: wishes.installDisk ?? METAL_EXAMPLE.installDisk,
    macs: floats(shared) ? Array.from({ length: shared.controlPlanes }, () => BLANK) : [],
  };
}

/** With one control plane its own address is the endpoint: a floating address would need its MAC address, too. */
const usualEndpoint = ({ controlPlane, endpoint }: Addresses, controlPlanes: number) =>
  controlPlanes === 1 ? controlPlane : endpoint;

async function interview(session: Session, folder: string, wishes: MetalWishes, ask: Questions): Promise<MetalAnswers> {
  const shared = await sharedAnswers(folder, wishes, METAL_EXAMPLE, ask, usualEndpoint);
  await sayWhoAnswers(session, shared, ask);
  const installDisk =
    wishes.installDisk ??
    (await ask.text({ message: "Disk to install Talos on (its data is lost)", initial: METAL_EXAMPLE.installDisk })).trim();
  const macs: string[] = [];
  if (floats(shared))
    for (const n of Array.from({ length: shared.controlPlanes }).keys())
      macs.push(
        (
          await ask.text({
            message: `MAC address of cp-${n + 1}, of the network card that gets ${shared.endpoint}`,
            check: checkedBy(words.mac),
          })
        ).trim(),
      );
  return { ...shared, installDisk, macs };
}

function addressesOf({ controlPlane, controlPlanes, worker, workers }: Answers): string[] {
  const span = (text: string, count: number) => {
    const first = parseIp(text);
    return first === undefined ? [] : Array.from({ length: count }, (_, n) => formatIp(after(first, n)));
  };
  return [...span(controlPlane, controlPlanes), ...span(worker, workers)];
}

function floats(answers: Answers): boolean {
  const address = parseIp(answers.endpoint);
  const network = parseNetwork(answers.cidr);
  if (address === undefined || network === undefined) return false;
  return contains(network, address) && !addressesOf(answers).includes(formatIp(address));
}

/** Reports which machines answer. Machines may still be off now, so silence is only a warning. */
async function sayWhoAnswers(session: Session, answers: Answers, ask: Questions): Promise<void> {
  const all = addressesOf(answers);
  const there = await Promise.all(all.map((address) => answersAt(session, address)));
  const silent = all.filter((_, index) => !there[index]);
  if (silent.length === 0) ask.say("good", `Talos answers at all ${all.length} addresses`);
  else
    ask.say(
      "warn",
      `no answer on port 50000 yet from ${silent.join(", ")}; start these machines from the factory's metal image before you create the cluster`,
    );
}

async function answersAt({ world, signal }: Session, host: string): Promise<boolean> {
  try {
    (await world.net.dial({ host, port: TALOS_PORT }, signal)).destroy();
    return true;
  } catch {
    return false;
  }
}
