import { after, contains, formatIp, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import type { Addresses } from "../config/examples/addresses.ts";
import { type Answers, BLANK } from "../config/examples/answers.ts";
import * as words from "../config/schema/words.ts";
import type { Session } from "../engine/context.ts";
import type { MetalAnswers } from "../platforms/metal/config/example.ts";
import { METAL_EXAMPLE } from "../platforms/metal/config/example.ts";
import { type InitWishes, sharedAnswers } from "./init-answers.ts";
import { answersAt } from "./init-look.ts";
import { checkedBy, type Questions } from "./init-questions.ts";

/** Without anybody to ask. A floating endpoint needs network cards that nobody named: they are left blank. */
export async function givenMetal(folder: string, wishes: InitWishes): Promise<MetalAnswers> {
  const shared = await sharedAnswers(folder, wishes, undefined, ({ controlPlane }) => controlPlane);
  return {
    ...shared,
    installDisk: wishes.installDisk ?? METAL_EXAMPLE.installDisk,
    macs: floats(shared) ? Array.from({ length: shared.controlPlanes }, () => BLANK) : [],
  };
}

/** With one control plane its own address serves as well as one that floats, and needs to know less. */
const usualEndpoint = ({ controlPlane, endpoint }: Addresses, controlPlanes: number) =>
  controlPlanes === 1 ? controlPlane : endpoint;

export async function interviewForMetal(
  session: Session,
  folder: string,
  wishes: InitWishes,
  ask: Questions,
): Promise<MetalAnswers> {
  const shared = await sharedAnswers(folder, wishes, ask, usualEndpoint);
  await sayWhoAnswers(session, shared, ask);
  const installDisk =
    wishes.installDisk ??
    (await ask.text({ message: "Disk Talos is installed to; what is on it is lost", initial: METAL_EXAMPLE.installDisk })).trim();
  const macs: string[] = [];
  if (floats(shared))
    for (const n of Array.from({ length: shared.controlPlanes }).keys())
      macs.push(
        (
          await ask.text({
            message: `MAC address of cp-${n + 1}: ${shared.endpoint} floats on that network card`,
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

/** It may well be too early for some; that is worth knowing, not worth stopping for. */
async function sayWhoAnswers({ world, signal }: Session, answers: Answers, ask: Questions): Promise<void> {
  const all = addressesOf(answers);
  const there = await Promise.all(all.map((address) => answersAt(world, address, signal)));
  const silent = all.filter((_, index) => !there[index]);
  if (silent.length === 0) ask.say("good", `Talos answers at all ${all.length} addresses`);
  else
    ask.say(
      "warn",
      `nobody answers on port 50000 yet at ${silent.join(", ")}; start these machines from the factory's metal image before talosmith up`,
    );
}
