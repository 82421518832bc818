import { internalError } from "@talosmith/lib/errors.ts";
import type { Change, Write } from "../../../engine/step.ts";
import type { SeedAddress } from "../../../takeover/disk/network-meta.ts";
import { describeContent, describeDisk } from "../../../takeover/judge/describe.ts";
import type { Survey, SurveyedCard } from "../../../takeover/survey.ts";
import type { Seed } from "../../../takeover/write/seed.ts";
import type { VpsNodeConfig } from "../config/config-on-vps.ts";
import { bringsConfig, plannedDisk } from "../planned-changes.ts";
import { anotherDisk, unfit } from "../problems.ts";
import { inServer, judgeServer, lookNow } from "../server.ts";
import type { Site } from "../site.ts";
import type { VpsEnvironment } from "../vps-environment.ts";
import type { MachineWish } from "./machine.ts";

const RESCUE_LIMIT_MS = 15 * 60_000;

/** Takes a server over, from its present system to the start of Talos. When it is killed, the next run repeats it from the first byte. */
export async function overwriteServer(
  { site, node, configs }: MachineWish,
  [change]: readonly Change[],
  c: Write,
): Promise<void> {
  const planned = plannedDisk(change);
  if (planned === undefined) await enterRescue(site, node, c);
  await inServer(site, node, c, async (shell) => {
    c.say("looking at the server");
    const survey = await site.hands.surveyServer(shell, c.signal);
    const judged = judgeServer(site, node, survey);
    if (judged.is === "unfit") throw unfit(node, judged.problems);
    const { disk, card } = judged;
    const found = describeDisk(disk);
    if (planned !== undefined && planned !== found) throw anotherDisk(node, planned, found);
    const arch = survey.arch === "arm64" ? "arm64" : "amd64";
    await site.images.built(c, node, arch, survey.tools);
    const image = site.images.source(node, arch, c);
    const record = site.records.open(c.world, {
      ...{ node: node.name, address: node.ip, survey, disk, held: describeContent(disk), hostKey: shell.hostKey() },
      image: { from: image.url("zst") },
    });
    await site.hands.takeOver(
      shell,
      {
        node: node.name,
        disk,
        image,
        seed: bringsConfig(node) ? { is: "config", text: configs.of(node, c).text } : seedNetwork(site.env, node, survey, card),
        keep: record.keep,
        agree: ({ sha256 }) => site.images.compare(node, arch, sha256),
        restarting: async ({ sha256, bytes }) => {
          await leaveRescue(site, node, c);
          record.restarting({ sha256, bytes });
        },
      },
      c,
    );
  });
}

/** Lets the provider restart the server, and requires that it then runs a rescue system. */
async function enterRescue(site: Site, node: VpsNodeConfig, c: Write): Promise<void> {
  const { provider } = site;
  if (!provider)
    throw internalError("NO_PROVIDER", { message: `Unable to restart the server of ${node.name}: no provider is configured` });
  const server = await provider.server(node, c);
  c.say(`${provider.name} restarts it into its rescue system`);
  site.records.rescueOrdered(c.world, node.name);
  await provider.enterRescue(server, c);
  await c.until({
    name: `the rescue system of ${node.name} answers`,
    timeoutMs: RESCUE_LIMIT_MS,
    poll: async () => {
      const look = await lookNow(site, node, c);
      if (look.is === "closed") return { reason: look.why.message };
      const { judged } = look;
      const still = judged.is === "unfit" && judged.problems.some(({ code }) => code === "NOT_A_RESCUE_SYSTEM");
      return still ? { reason: "it still runs from its disk" } : true;
    },
  });
}

/** Otherwise some providers would start the rescue system once more, and not Talos. */
async function leaveRescue({ provider }: Site, node: VpsNodeConfig, c: Write): Promise<void> {
  if (provider) await provider.leaveRescue(await provider.server(node, c), c);
}

/** The network settings for a node whose disk cannot carry the whole config: those of the config, or the current DHCP lease where the config uses DHCP. */
function seedNetwork({ config }: VpsEnvironment, node: VpsNodeConfig, survey: Survey, card: SurveyedCard | undefined): Seed {
  const mac = node.mac ?? node.bond?.macs[0] ?? card?.mac;
  if (mac === undefined) throw internalError("NO_CARD", { message: `no network card was chosen for ${node.name}` });
  const { second, nameservers, timeServers, mtu } = config.network;
  const addresses: SeedAddress[] = [
    node.gateway === undefined ? leased(node, survey, card) : { ip: node.ip, prefix: node.prefix, gateway: node.gateway },
    ...(node.secondIp === undefined || second === undefined
      ? []
      : [{ ip: node.secondIp, prefix: second.prefix, ...(second.gateway !== undefined && { gateway: second.gateway }) }]),
  ];
  return {
    is: "network",
    network: { hostname: node.name, mac, addresses, nameservers, timeServers, ...(mtu !== undefined && { mtu }) },
  };
}

function leased({ ip, prefix }: VpsNodeConfig, { network }: Survey, card: SurveyedCard | undefined): SeedAddress {
  const own = card?.addresses.find((address) => address.startsWith(`${ip}/`));
  const length = own === undefined ? prefix : Number(own.slice(own.indexOf("/") + 1));
  return { ip, prefix: length, ...(network.gateway !== undefined && { gateway: network.gateway }) };
}
