import * as address from "./ip-words.ts";
import { oneOrTwo } from "./network.ts";
import { diskSettings } from "./node-disks.ts";
import { kubernetesSettings } from "./node-kubernetes.ts";
import { networkSettings } from "./node-network.ts";
import { systemSettings } from "./node-system.ts";
import { planned, plannedPlatform } from "./planned.ts";
import { choice, oneOrMore, section, text, whole } from "./value.ts";
import * as words from "./words.ts";

/** Keys that platforms add: of nodes one by one or under defaults, of an entry of nodes alone, of a network card. */
interface Additions {
  readonly settings: object;
  readonly node: object;
  readonly nics: object;
}

/** Settings of one node or, under defaults, of many. */
const settings = ({ settings: more, nics }: Additions) => ({
  ...more,
  vlan: whole({
    about: "VLAN id of the node's network card; the node tags its packets itself.",
    example: "10",
    from: 1,
    to: 4094,
  }).optional(),
  ...diskSettings,
  ...networkSettings(nics),
  ...kubernetesSettings,
  ...systemSettings,
});

export const defaults = (more: Additions) => {
  const all = settings(more);
  return section("Default settings of nodes. A node's own keys override those of its role, which override those of all.", {
    all: section("For every node.", all).optional(),
    controlplane: section("For control planes.", all).optional(),
    worker: section("For workers.", all).optional(),
  });
};

export const node = (more: Additions, platforms: readonly string[]) =>
  section("A node, or with count a pool of identical nodes.", {
    name: text({
      about: "Name of the node; with count the prefix of the names: cp becomes cp-1, cp-2, …",
      example: "cp",
      pattern: words.NAME,
      check: words.name,
    }),
    role: choice({ about: "Role of the node in the cluster.", of: ["controlplane", "worker"] }),
    count: whole({
      about: "Number of identical nodes. When set, also to 1, names end in a number.",
      example: "3",
      from: 1,
      to: 1000,
    }).optional(),
    ip: oneOrMore(text({ about: "An address.", example: "10.10.0.11", check: address.nodeAddress }), {
      about:
        "Address of the node; with two networks a list of two, in the same order. With count, the address of the first node; the others count up. At a provider it may have a prefix length, such as 203.0.113.11/32.",
      example: "10.10.0.11",
      check: oneOrTwo,
    }),
    mac: text({
      about: "MAC address of the network card. By default derived where talosmith creates machines.",
      example: '"BC:24:11:00:00:11"',
      pattern: words.MAC,
      check: words.mac,
    }).optional(),
    prefix: whole({
      about:
        "At a provider: prefix length of the node's first address, unless it is part of ip. By default that of network.cidr.",
      example: "24",
      from: 1,
      to: 128,
    }).optional(),
    ...more.node,
    ...settings(more),
    ...planned.node,
    platform: plannedPlatform(platforms),
  });
