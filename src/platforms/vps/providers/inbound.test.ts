import fc from "fast-check";
import { expect, test } from "vitest";
import type { FirewallConfig, OpenPorts } from "../../../config/config.ts";
import { firewallDocuments } from "../../../talos/config/node/firewall.ts";
import type { ConfigOnVps } from "../config/config-on-vps.ts";
import { plainVpsNode } from "../config/testing/plain-node.ts";
import { type HetznerRule, meaningOf, providerRules } from "./hetzner/firewalls.ts";
import { inboundRules } from "./inbound.ts";
import { ADMIN, vpsConfig } from "./testing/vps-config.ts";

const firewall = { admin: [ADMIN], open: [] };

test("the provider's rules allow the traffic that the nodes allow, SSH to their rescue systems, and ICMP", () => {
  const rules = inboundRules(vpsConfig(), firewall, "worker");
  expect(rules.map(({ protocol, port, from }) => [protocol, port, from])).toEqual([
    ["tcp", "50000", [ADMIN, "203.0.113.11/32", "203.0.113.12/32", "203.0.113.21/32"]],
    ["tcp", "10250", ["203.0.113.11/32", "203.0.113.12/32", "203.0.113.21/32", "10.244.0.0/16"]],
    ["udp", "4789", ["203.0.113.11/32", "203.0.113.12/32", "203.0.113.21/32"]],
    ["tcp", "22", [ADMIN]],
    ["icmp", undefined, ["0.0.0.0/0", "::/0"]],
  ]);
});

test("a port that is opened for others and is also the rescue system's stands in one rule", () => {
  const open: OpenPorts[] = [{ name: "jump", ports: ["22"], protocol: "tcp", from: ["192.0.2.0/24", ADMIN] }];
  const rules = inboundRules(vpsConfig(), { admin: [ADMIN], open }, "worker").filter(({ port }) => port === "22");
  expect(rules).toEqual([{ name: "open-jump, rescue-ssh", protocol: "tcp", port: "22", from: ["192.0.2.0/24", ADMIN] }]);
});

const octet = fc.integer({ min: 0, max: 255 });
const network = fc.oneof(
  fc.tuple(octet, octet).map(([a, b]) => `198.18.${a}.${b}/32`),
  octet.map((a) => `100.64.${a}.0/24`),
  octet.map((a) => `2001:db8:${(a + 1).toString(16)}::/48`),
  fc.constant("0.0.0.0/0"),
);
const port = fc.integer({ min: 1, max: 65_000 }).chain((from) => fc.constantFrom(String(from), `${from}-${from + 7}`));
const opened: fc.Arbitrary<OpenPorts> = fc.record(
  {
    name: fc.constantFrom("web", "game"),
    ports: fc.array(port, { minLength: 1, maxLength: 3 }),
    protocol: fc.constantFrom("tcp" as const, "udp" as const),
    from: fc.array(network, { minLength: 1, maxLength: 120 }),
    on: fc.constantFrom("controlplane" as const, "worker" as const),
  },
  { requiredKeys: ["name", "ports", "protocol", "from"] },
);
const world = fc.record({
  admin: fc.array(network, { minLength: 1, maxLength: 4 }),
  open: fc.array(opened, { maxLength: 3 }),
  login: fc.integer({ min: 1, max: 65_535 }),
  cni: fc.constantFrom("cilium" as const, "flannel" as const, "none" as const),
  kubespan: fc.boolean(),
  nodes: fc.uniqueArray(fc.integer({ min: 1, max: 254 }), { minLength: 1, maxLength: 6 }),
  role: fc.constantFrom("controlplane" as const, "worker" as const),
});

/** Each allowed protocol, port and source: "tcp 6443 198.51.100.0/24". */
const apart = (rules: readonly HetznerRule[]) =>
  new Set(rules.flatMap(({ protocol, port, source_ips }) => source_ips.map((from) => `${protocol} ${port ?? ""} ${from}`)));

test("whatever the config says, a provider's rules let in exactly what the nodes do, SSH for admins and ICMP", () => {
  fc.assert(
    fc.property(world, ({ admin, open, login, cni, kubespan, nodes, role }) => {
      const config: ConfigOnVps = vpsConfig({
        nodes: nodes.map((last, at) =>
          plainVpsNode({
            name: `n-${last}`,
            role: at === 0 ? role : "worker",
            ip: `203.0.113.${last}`,
            ssh: { host: "h", port: login, user: "root", firstKey: false },
          }),
        ),
        cluster: { ...vpsConfig().cluster, cni, kubespan },
      });
      const firewall: FirewallConfig = { admin, open };
      // Parsed independently of the code under test.
      const documents = JSON.parse(JSON.stringify(firewallDocuments(firewall, config, role))) as {
        portSelector?: { ports: (number | string)[]; protocol: string };
        ingress: { subnet: string }[];
      }[];
      const nodesLetIn = documents.flatMap(({ portSelector, ingress }) =>
        portSelector
          ? portSelector.ports.flatMap((one) => ingress.map(({ subnet }) => `${portSelector.protocol} ${one} ${subnet}`))
          : [],
      );
      const expected = [...nodesLetIn, ...admin.map((one) => `tcp ${login} ${one}`), "icmp  0.0.0.0/0", "icmp  ::/0"];
      const rules = providerRules(inboundRules(config, firewall, role));
      expect(apart(rules)).toEqual(new Set(expected));
      expect(
        rules.every(({ source_ips, direction }) => direction === "in" && source_ips.length > 0 && source_ips.length <= 100),
      ).toBe(true);
      expect(meaningOf([...rules].reverse())).toEqual(new Map([...meaningOf(rules)].reverse()));
    }),
    { numRuns: 60 },
  );
});
