import { Secret } from "@talosmith/lib/secret.ts";
import { plainNode } from "../../../src/config/testing/plain-node.ts";
import { baseConfig } from "../../../src/talos/config/base-config.ts";
import type { ClusterInput } from "../../../src/talos/config/cluster-input.ts";
import { fullConfig } from "../../../src/talos/config/full-config.ts";
import { MachineConfig } from "../../../src/talos/config/machine-config.ts";
import { firewallDocuments } from "../../../src/talos/config/node/firewall.ts";
import { testNode } from "../../../src/talos/config/node/testing/test-node.ts";
import { nodePatch } from "../../../src/talos/config/node-patch.ts";
import { wireguardAddresses } from "../../../src/talos/wireguard/addresses.ts";
import { wireguardDocument } from "../../../src/talos/wireguard/wireguard.ts";
import { type CaseContext, plainCluster } from "./cluster-cases.ts";
import { AXES, type NodeChoice } from "./node-axes.ts";

const BY_CHANCE = 80;

/** Who else is in the cluster: some in its network, some outside, some of both families. */
const OTHERS = [
  { role: "controlplane", ip: "10.10.0.12" },
  { role: "controlplane", ip: "203.0.113.9", secondIp: "2001:db8::9" },
  { role: "worker", ip: "10.10.0.22", secondIp: "fd00:10::22" },
  { role: "worker", ip: "198.51.100.4" },
] as const;

/** Our configs for every choice a node can make: each alone for both roles, and many at once by chance. */
export function nodeCases(context: CaseContext): object[] {
  const bases = new Map<string, string>();
  return [...alone(), ...byChance()].map(([name, choices], at) =>
    written(context, `${context.contract} node ${name}`, at, choices, bases),
  );
}

function* alone(): Iterable<[string, NodeChoice[]]> {
  for (const [role, ofRole] of Object.entries(AXES.role ?? {}))
    for (const choices of Object.values(AXES).slice(1))
      for (const [name, choice] of Object.entries(choices)) yield [`${role}, ${name}`, [ofRole, choice]];
}

function* byChance(): Iterable<[string, NodeChoice[]]> {
  for (let seed = 0; seed < BY_CHANCE; seed++) {
    const below = chanceFrom(seed);
    const taken = Object.values(AXES).map((choices) => {
      const all = Object.entries(choices);
      return all[below(all.length)] ?? ["", {}];
    });
    yield [`by chance: ${taken.map(([name]) => name).join(", ")}`, taken.map(([, choice]) => choice)];
  }
}

/** The same every time, so that a case that fails can be looked at again. */
function chanceFrom(seed: number): (below: number) => number {
  let state = (seed + 1) * 7_919_123;
  return (below) => {
    state = (state * 48_271) % 0x7fff_ffff;
    return (state >>> 8) % below;
  };
}

function written(context: CaseContext, name: string, at: number, choices: NodeChoice[], bases: Map<string, string>): object {
  const all: NodeChoice = {
    ...Object.assign({}, ...choices),
    node: Object.assign({}, ...choices.map(({ node }) => node)),
    network: Object.assign({}, ...choices.map(({ network }) => network)),
    cluster: Object.assign({}, ...choices.map(({ cluster }) => cluster)),
  };
  const plain = plainCluster(context);
  const cluster = { ...plain, talos: `${context.contract}.9`, ...all.cluster };
  const { mac, installerImage, wireguard } = all;
  const { network } = testNode({ network: { ...plain.network, ...all.network } });
  const base: ClusterInput = {
    ...cluster,
    network: { ...plain.network, ...network },
    installDisk: all.base ?? plain.installDisk,
  };
  const input = testNode({
    mac,
    cluster,
    base,
    network: all.network ?? {},
    node: { installDisk: base.installDisk, ...all.node },
    installerImage: installerImage ?? base.installerImage,
  });
  const { name: node } = input.node;
  const nodes = [plainNode(input.node)];
  const peers = [input.node, ...OTHERS];
  const firewall =
    all.firewall &&
    firewallDocuments(all.firewall, { cluster, network: input.network, nodes: peers, wireguard }, input.node.role);
  const visited = wireguard && wireguardDocument(wireguard, { network: input.network, nodes, secrets: context.secrets }, node);
  const whole = MachineConfig.of(baseConfig(base, input.node.role));
  const baseFile = bases.get(whole.text) ?? context.write(`${context.contract}-node-base-${bases.size}.yaml`, whole.text);
  bases.set(whole.text, baseFile);
  const patch = MachineConfig.of(nodePatch({ ...input, firewall, wireguard: visited }));
  const write = (kind: string, { text }: MachineConfig) => context.write(`${context.contract}-node-${at}-${kind}.yaml`, text);
  return {
    name,
    // Secrets are words of ours here, and the judge needs them.
    input: JSON.parse(
      JSON.stringify(
        {
          ...input,
          cluster: { ...cluster, secrets: undefined },
          base: undefined,
          firewall: all.firewall,
          wireguard: wireguard && {
            ...wireguard,
            address: wireguardAddresses(wireguard, nodes).get(node),
            secret: context.secrets.cluster.secret,
            node,
            peers: wireguard.peers.map(({ publicKey, ip }) => [publicKey, ip]),
          },
          peers,
        },
        revealed,
      ),
    ),
    base: baseFile,
    patch: write("patch", patch),
    full: write("full", fullConfig(whole, patch)),
  };
}

function revealed(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const raw = this[key];
  return raw instanceof Secret ? raw.reveal() : value;
}
