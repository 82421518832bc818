import { expect, test } from "vitest";
import { VPS_PROVIDERS } from "../../../catalog/vps-providers.ts";
import type { Inventory, Owned } from "../../platform.ts";
import type { ConfigOnVps, ProviderName } from "../config/config-on-vps.ts";
import { adviceByHand } from "./advice.ts";
import { entriesOf, rulesToEnter } from "./rules-to-enter.ts";
import { ADMIN, vpsConfig } from "./testing/vps-config.ts";

const found = (...names: string[]): Inventory => ({
  environment: "e",
  owned: names.map((name) => ({ name }) as Owned),
  there: new Set(names),
  foreign: [],
});

function advice(name: ProviderName | undefined, own: Partial<ConfigOnVps> = {}, running: string[] = []) {
  const vps = name === undefined ? {} : { provider: { name, url: "" } };
  return adviceByHand(vpsConfig({ vps, ...own }), found(...running));
}
const lines = (...given: Parameters<typeof advice>) => advice(...given).map(({ message }) => message);

test("the exact rules of each role are printed, without pods, whose packets are their nodes'", () => {
  const said = lines("contabo");
  expect(said).toContain(
    `control planes: tcp 6443 from ${ADMIN}, 203.0.113.11/32, 203.0.113.12/32, 203.0.113.21/32 (kubernetes-api-ingress)`,
  );
  expect(said).toContain("control planes: tcp 2379-2380 from 203.0.113.11/32, 203.0.113.12/32 (etcd-ingress)");
  expect(said).toContain(`workers: tcp 22 from ${ADMIN} (rescue-ssh)`);
  expect(said).toContain("workers: icmp from anywhere (icmp)");
  expect(said.join()).not.toContain("10.244");
  expect(said.filter((line) => line.startsWith("workers: tcp 6443"))).toEqual([]);
});

test("the steps to start the rescue system are printed only for nodes that do not run Talos yet", () => {
  const said = lines("ovh", {}, ["cp-1", "cp-2"]);
  expect(said).toContain("to start the rescue system of worker-1 at OVHcloud:");
  expect(said.join()).toContain("/dev/sdb");
  expect(advice("ovh", {}, ["cp-1", "cp-2", "worker-1"]).map(({ code }) => code)).not.toContain("RESCUE_STEPS");
});

test("a firewall that does not track connections gets rules for responses too", () => {
  expect(lines("hetzner-robot").join("\n")).toContain("tcp to ports 32768-65535 with the flag ack");
  expect(lines("ovh").join("\n")).toContain("TCP with the option established");
  expect(lines("hetzner").join("\n")).not.toContain("on every server also");
});

test("with room for few rules, nodes reach all ports of each other and other hosts reach no more", () => {
  const config = vpsConfig({ cluster: { ...vpsConfig().cluster, cni: "cilium" } });
  const facts = VPS_PROVIDERS["hetzner-robot"].firewall;
  const { rules, room } = rulesToEnter(config, { admin: [ADMIN], open: [] }, facts, "controlplane");
  expect(rules.map(({ protocol, port, from }) => [protocol, port, from])).toEqual([
    ["all", undefined, ["203.0.113.11/32", "203.0.113.12/32", "203.0.113.21/32"]],
    ["tcp", "50000", [ADMIN]],
    ["tcp", "6443", [ADMIN]],
    ["tcp", "22", [ADMIN]],
    ["icmp", undefined, ["0.0.0.0/0", "::/0"]],
  ]);
  expect(entriesOf(rules, facts)).toBeLessThanOrEqual(room ?? 0);
});

test("rules that still do not fit are reported", () => {
  const admin = Array.from({ length: 9 }, (_, at) => `198.51.${at}.0/24`);
  const findings = advice("hetzner-robot", { firewall: { admin, open: [] } });
  expect(findings.filter(({ level }) => level === "warn")).toMatchObject([
    { code: "PROVIDER_RULES", message: expect.stringContaining("has room for") },
    { code: "PROVIDER_RULES" },
  ]);
});

test("a provider whose firewall knows IPv4 alone gets no other rules", () => {
  const said = lines("ovh", { firewall: { admin: [ADMIN, "2001:db8::/32"], open: [] } });
  expect(said.filter((line) => line.includes(" from ") && line.includes("2001:db8"))).toEqual([]);
});

test("without a firewall in the config there are no rules", () => {
  const { firewall: _, ...bare } = vpsConfig();
  const said = lines(undefined, { ...bare, firewall: undefined } as unknown as ConfigOnVps);
  expect(said.at(-1)).toBe("firewall.enabled is false: there are no rules to enter");
});
