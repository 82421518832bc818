import { after, formatIp, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import { BLANK } from "../../config/examples/answers.ts";
import * as ip from "../../config/schema/ip-words.ts";
import type { Wrong } from "../../config/schema/value.ts";
import type { Session } from "../../engine/context.ts";
import type { PlatformSession } from "../command-session.ts";
import type { NewConfig } from "../definition.ts";
import { clusterAnswers, type InitWishes, textFor, valid } from "../init-answers.ts";
import { checkedBy, type Questions, wholeNumber } from "../questions.ts";
import { VPS_EXAMPLE, type VpsAnswers, type VpsServer, vpsExample } from "./config/example.ts";
import { hostKeyOf } from "./init-host-key.ts";

interface VpsWishes extends InitWishes {
  /** The servers', with or without prefix lengths. */
  addresses?: readonly string[];
  /** A whole number. */
  prefix?: string;
  admin?: readonly string[];
  provider?: string;
}

export async function writeVps(session: PlatformSession, folder: string, wishes: VpsWishes, ask?: Questions): Promise<NewConfig> {
  return { text: vpsExample(session.platforms, await (ask ? interview(session, folder, wishes, ask) : given(folder, wishes))) };
}

/** Answers without questions: flags, and blanks for what only the user knows. Contacts no server. */
async function given(folder: string, wishes: VpsWishes): Promise<VpsAnswers> {
  const cluster = await clusterAnswers(folder, wishes, VPS_EXAMPLE);
  const addresses = (wishes.addresses ?? []).map((address) => withPrefix(valid(address, ip.nodeAddress), wishes.prefix));
  const servers = serversAt(addresses.length === 0 ? [BLANK] : addresses, wishes);
  const [first = BLANK] = addresses;
  return {
    ...cluster,
    endpoint: wishes.endpoint === undefined ? bare(first) : valid(wishes.endpoint, ip.addressOrName),
    cidr: wishes.cidr === undefined ? undefined : valid(wishes.cidr, ip.cidr),
    gateway: wishes.gateway === undefined ? BLANK : valid(wishes.gateway, ip.ip),
    nameservers: VPS_EXAMPLE.nameservers,
    admin: (wishes.admin ?? [BLANK]).map((network) => (network === BLANK ? BLANK : valid(asNetwork(network), ip.network))),
    provider: wishes.provider,
    servers,
  };
}

/** Asks for the main settings, and reads the host keys of servers that can be reached. */
async function interview(session: Session, folder: string, wishes: VpsWishes, ask: Questions): Promise<VpsAnswers> {
  const text = textFor(ask);
  const cluster = await clusterAnswers(folder, wishes, VPS_EXAMPLE, ask);
  const written =
    wishes.addresses?.map((address) => valid(address, ip.nodeAddress)) ??
    split(await ask.text({ message: ADDRESSES, check: each(ip.nodeAddress, "203.0.113.11") }));
  const needed = wishes.cidr === undefined && written.some((address) => parseNetwork(address) === undefined);
  const prefix =
    wishes.prefix ?? (needed ? await ask.text({ message: PREFIX, initial: "24", check: wholeNumber(1, 128) }) : undefined);
  const addresses = written.map((address) => withPrefix(address, prefix));
  const controlPlanes =
    wishes.controlPlanes ??
    Number(
      await ask.text({
        message: "How many of them are control planes? (1, 3 or 5)",
        initial: String(usualControlPlanes(addresses.length, wishes)),
        check: wholeNumber(1, addresses.length),
      }),
    );
  const gateway = await text(
    wishes.gateway,
    "Gateway of the servers, as the provider shows it",
    usualGateway(addresses[0], wishes.cidr),
    ip.ip,
  );
  const endpoint = await text(wishes.endpoint, ENDPOINT, bare(addresses[0] ?? ""), ip.addressOrName);
  const admin =
    wishes.admin ?? split(await ask.text({ message: ADMIN, check: each((one) => ip.network(asNetwork(one)), "198.51.100.7") }));
  const provider = wishes.provider ?? (await ask.choose(PROVIDER));
  const servers = serversAt(addresses, { ...wishes, controlPlanes });
  return {
    ...cluster,
    endpoint,
    cidr: wishes.cidr === undefined ? undefined : valid(wishes.cidr, ip.cidr),
    gateway,
    nameservers: VPS_EXAMPLE.nameservers,
    admin: admin.map((network) => valid(asNetwork(network), ip.network)),
    provider: provider === "other" ? undefined : provider,
    servers: await withHostKeys(session, servers, ask),
  };
}

const ADDRESSES = "Public addresses of the servers, separated by commas, control planes first";
const PREFIX = "Prefix length of these addresses, as the provider shows it (32 for single addresses)";
const ADMIN = "Networks or addresses you work from, separated by commas: only these can reach the APIs";
const ENDPOINT = "Kubernetes API endpoint (a control plane's address, a DNS name, or a load balancer)";

const PROVIDER = {
  message: "Which provider rents out the servers?",
  of: [
    { value: "other" as const, label: "another provider" },
    { value: "hetzner" as const, label: "Hetzner Cloud", hint: "its API is used if you give a token" },
    { value: "hetzner-robot" as const, label: "Hetzner Robot" },
    { value: "ovh" as const, label: "OVH" },
    { value: "contabo" as const, label: "Contabo" },
    { value: "netcup" as const, label: "netcup" },
  ],
  initial: "other" as const,
};

/** Adds the host keys, if the user confirms them. */
async function withHostKeys({ world, signal }: Session, servers: readonly VpsServer[], ask: Questions): Promise<VpsServer[]> {
  const keys = await Promise.all(servers.map((server) => hostKeyOf(world, { host: bare(server.ip), port: 22 }, signal)));
  for (const [index, key] of keys.entries()) {
    const { name, ip: address } = servers[index] as VpsServer;
    if (key === undefined)
      ask.say("warn", `${name}: no answer on port 22 of ${bare(address)}; add its host key to the file later`);
    else ask.say("info", `${name}: ${bare(address)} shows the host key ${key}`);
  }
  const seen = keys.some((key) => key !== undefined);
  const right =
    seen &&
    (await ask.confirm({ message: "Are these the keys of the rescue systems, as the provider shows them?", initial: false }));
  return servers.map((server, index) => ({ ...server, hostKey: right ? keys[index] : undefined }));
}

function serversAt(addresses: readonly string[], wishes: VpsWishes): VpsServer[] {
  const controlPlanes = wishes.controlPlanes ?? usualControlPlanes(addresses.length, wishes);
  return addresses.map((address, index) => ({
    name: `node-${index + 1}`,
    role: index < controlPlanes ? "controlplane" : "worker",
    ip: address,
    hostKey: undefined,
    serial: undefined,
  }));
}

function usualControlPlanes(servers: number, { workers }: InitWishes): number {
  return workers === undefined ? (servers >= 3 ? 3 : 1) : Math.max(1, servers - workers);
}

/** The first address of the network; empty for a single address, which does not tell its gateway. */
function usualGateway(address = "", cidr = address): string {
  const network = parseNetwork(cidr);
  if (network === undefined || network.last - network.first <= 1n) return "";
  return formatIp(after({ family: network.family, value: network.first }, 1));
}

function withPrefix(address: string, prefix: string | undefined): string {
  return prefix === undefined || parseIp(address) === undefined ? address : `${address}/${Number(prefix)}`;
}

const bare = (address: string) => address.replace(/\/.*$/, "");

function asNetwork(text: string): string {
  const address = parseIp(text);
  return address === undefined ? text : `${text}/${address.family === 4 ? 32 : 128}`;
}

const split = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Checks each of several answers. */
function each(check: (value: string) => Wrong | undefined, such: string): (answer: string) => string | undefined {
  return (answer) => {
    const all = split(answer);
    if (all.length === 0) return `enter at least one, such as ${such}`;
    return all.map((one) => checkedBy(check)(one)).find((wrong) => wrong !== undefined);
  };
}
