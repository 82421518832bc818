import { basename, resolve } from "node:path";
import { userError } from "@talosmith/lib/errors.ts";
import { contains, isUsable, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import { freeRange, ownName } from "../config/checks/addresses.ts";
import { type Addresses, suggestAddresses } from "../config/examples/addresses.ts";
import type { Answers } from "../config/examples/answers.ts";
import * as ip from "../config/schema/ip-words.ts";
import type { Wrong } from "../config/schema/value.ts";
import * as words from "../config/schema/words.ts";
import { checkedBy, type Questions, wholeNumber } from "./questions.ts";

/**
 * Answers given as flags of `init`; the others are asked, or taken from the example. The flags of a platform's definition are beside these, by
 * their names in camel case, as text or as a list of texts.
 */
export interface InitWishes {
  name?: string;
  talos?: string;
  endpoint?: string;
  cni?: Answers["cni"];
  cidr?: string;
  gateway?: string;
  controlPlanes?: number;
  workers?: number;
}

/** The part of an example that holds for any cluster. */
type ClusterExample = Pick<Answers, "name" | "talos" | "cni">;

/** The folder's name if it is valid as the name of a cluster, else `usual`. */
function nameOf(folder: string, usual: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return words.NAME.test(name) ? name : usual;
}

/** Returns how to get a text: the given value, else an answer, else the default. */
export function textFor(ask?: Questions) {
  return async (given: string | undefined, message: string, initial: string, check: typeof words.name): Promise<string> => {
    if (given !== undefined) return valid(given, check);
    return ask === undefined ? initial : (await ask.text({ message, initial, check: checkedBy(check) })).trim();
  };
}

/** Finds the cluster's name, its Talos release and its CNI. */
export async function clusterAnswers(
  folder: string,
  wishes: InitWishes,
  example: ClusterExample,
  ask?: Questions,
): Promise<ClusterExample> {
  const text = textFor(ask);
  const name = await text(wishes.name, "Name of the cluster", nameOf(folder, example.name), words.name);
  const talos = await text(wishes.talos, "Talos release", example.talos, words.talosVersion);
  const cni = wishes.cni ?? (await ask?.choose(CNI)) ?? example.cni;
  return { name, talos, cni };
}

/** Finds the answers that all platforms with one node network share. Without `ask`, missing ones are taken from the example. */
export async function sharedAnswers(
  folder: string,
  wishes: InitWishes,
  example: ClusterExample & Pick<Answers, "cidr">,
  ask?: Questions,
  usualEndpoint: (free: Addresses, controlPlanes: number) => string = ({ endpoint }) => endpoint,
): Promise<Answers> {
  const text = textFor(ask);
  const count = async (given: number | undefined, message: string, initial: number, from: number) =>
    given ??
    (ask === undefined ? initial : Number(await ask.text({ message, initial: String(initial), check: wholeNumber(from, 100) })));

  const { name, talos, cni } = await clusterAnswers(folder, wishes, example, ask);
  const controlPlanes = await count(wishes.controlPlanes, "How many control planes? (1, 3 or 5)", 1, 1);
  const workers = await count(wishes.workers, "How many workers?", 2, 0);
  const cidr = await text(wishes.cidr, "Network of the nodes", example.cidr, ip.cidr);
  const counts = { controlPlanes, workers };
  const inNetwork = (address: string) => ip.ip(address) ?? notIn(cidr, address);
  const gateway = await text(wishes.gateway, "Gateway of that network", roomIn(cidr, counts, wishes.gateway).gateway, inNetwork);
  const free = roomIn(cidr, counts, gateway);
  const first = (many: number, what: string) => `Address of the ${many === 1 ? what : `first ${what}`}`;
  const controlPlane = await text(undefined, first(controlPlanes, "control plane"), free.controlPlane, inNetwork);
  const worker = workers === 0 ? free.worker : await text(undefined, first(workers, "worker"), free.worker, inNetwork);
  const usual = usualEndpoint({ ...free, controlPlane }, controlPlanes);
  const endpoint = await text(wishes.endpoint, ENDPOINT, usual, ip.addressOrName);
  return { name, talos, endpoint, cni, cidr, gateway, nameservers: [gateway], controlPlane, worker, controlPlanes, workers };
}

/** Whether the network's machines can have an address. */
function notIn(cidr: string, address: string): Wrong | undefined {
  const [network, parsed] = [parseNetwork(cidr), parseIp(address)];
  if (network === undefined || parsed === undefined || isUsable(network, parsed)) return undefined;
  const says = contains(network, parsed)
    ? `is ${ownName(network, parsed)}, which no machine can have`
    : `is outside ${network.text}`;
  return { says, hint: `choose an address from ${freeRange(network)}` };
}

const ENDPOINT = "Kubernetes API endpoint (an unused address that the control planes share, or a DNS name)";

export function valid(given: string, check: typeof words.name): string {
  const wrong = check(given);
  if (wrong === undefined) return given;
  throw userError("FLAG", { message: `${given} ${wrong.says}`, hint: `${wrong.hint}. Nothing was written.` });
}

const CNI = {
  message: "Pod network",
  of: [
    { value: "flannel" as const, label: "flannel", hint: "comes with Talos" },
    { value: "cilium" as const, label: "cilium", hint: "installed as an addon, replaces kube-proxy" },
    { value: "none" as const, label: "none", hint: "you install one yourself" },
  ],
  initial: "flannel" as const,
};

function roomIn(cidr: string, counts: { controlPlanes: number; workers: number }, gateway?: string): Addresses {
  const found = suggestAddresses(cidr, counts, gateway);
  if (found !== undefined) return found;
  throw userError("NETWORK_TOO_SMALL", {
    message: `Unable to place ${counts.controlPlanes + counts.workers} nodes in ${cidr}`,
    hint: "choose a larger network, such as 10.10.0.0/24, or fewer nodes. Nothing was written.",
  });
}
