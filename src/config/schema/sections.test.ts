import { expect, test } from "vitest";
import { changed, failure, load } from "../testing/config-in-memory.ts";
import { PEM } from "../testing/everything.ts";
import { type Case, toldAlone } from "../testing/told-alone.ts";

/** At line 14 of the good config. */
const registry = (text: string, host = "docker.io") => ({ "nodes:": `registries: { "${host}": { ${text} } }\nnodes:` });
const firewall = (text: string) => ({ "nodes:": `firewall: { ${text} }\nnodes:` });
const rule = (text: string) => firewall(`admin: [10.0.0.0/8], open: [{ name: web, ${text} }]`);

const cases: Case[] = [
  [
    "a registry with a path",
    registry("insecure: true", "ghcr.io/siderolabs"),
    "14:15",
    "registries.ghcr.io/siderolabs is not a registry host",
    "write the host as in image names, such as docker.io or registry.home.arpa:5000",
  ],
  [
    "credentials for every registry",
    registry(`username: a, password: "\${env:PASSWORD}"`, "*"),
    "14:15",
    "registries.* can only have mirrors",
    "write credentials, ca and insecure under the host they are for",
  ],
  [
    "a registry without anything",
    registry(""),
    "14:28",
    "registries.docker.io is empty",
    "add mirrors, credentials or ca, or remove it",
  ],
  [
    "a mirror without a scheme",
    registry("mirrors: mirror.home.arpa"),
    "14:39",
    "registries.docker.io.mirrors is not a web address",
    "write the mirror's address, such as https://mirror.home.arpa",
  ],
  [
    "a mirror with a password",
    registry('mirrors: ["https://me:hunter2@mirror"]'),
    "14:40",
    "registries.docker.io.mirrors[0] is not a web address",
    "write the mirror's address, such as https://mirror.home.arpa",
  ],
  [
    "a user without a password",
    registry("username: robot"),
    "14:30",
    "registries.docker.io.username is set, but password is missing",
    "add password, or remove username",
  ],
  [
    "a path of mirrors that are not there",
    registry("overridePath: true"),
    "14:30",
    "registries.docker.io.overridePath has no effect without mirrors",
    "add mirrors, or remove it",
  ],
  [
    "an authority that is not there",
    registry("ca: gone.pem"),
    "14:34",
    "registries.docker.io.ca names a file that does not exist",
    "put the authority's certificate, in PEM, into the environment's folder and name it here",
  ],
  [
    "an authority and no check",
    registry("ca: ca.pem, insecure: true"),
    "14:42",
    "registries.docker.io.insecure and ca contradict each other",
    "remove insecure: with ca the certificate can be checked",
  ],
  [
    "an unknown key of a registry",
    registry("mirror: https://a"),
    "14:30",
    "registries.docker.io.mirror is not a known key",
    "did you mean mirrors?",
  ],
  [
    "a firewall without anybody",
    firewall("admin: []"),
    "14:20",
    "firewall.admin is empty",
    "name at least one network, such as [192.168.1.0/24]",
  ],
  [
    "a firewall that does not say who",
    firewall("open: []"),
    "14:1",
    "firewall.admin is missing",
    "add under firewall:\nadmin: [192.168.1.0/24]",
  ],
  [
    "an address where a network belongs",
    firewall("admin: [192.168.1.7]"),
    "14:21",
    "firewall.admin[0] has no prefix length",
    "write 192.168.1.7/32 for this address alone",
  ],
  [
    "a port that is none",
    rule("ports: [0]"),
    "14:62",
    "firewall.open[0].ports[0] is not a port",
    'write a number from 1 to 65535, or a range such as "8000-9000"',
  ],
  [
    "a range the wrong way round",
    rule('ports: ["9000-8000"]'),
    "14:62",
    "firewall.open[0].ports[0] is not a port",
    'write a number from 1 to 65535, or a range such as "8000-9000"',
  ],
  [
    "ranges that meet",
    rule('ports: [8080, "8000-9000"]'),
    "14:61",
    "firewall.open[0].ports contains port 8080 twice",
    "write ranges that do not overlap",
  ],
  ["no port at all", rule("ports: []"), "14:61", "firewall.open[0].ports is empty", "name at least one port, such as [443]"],
  [
    "an unknown protocol",
    rule("ports: [1], protocol: tpc"),
    "14:76",
    "firewall.open[0].protocol must be tcp or udp",
    "did you mean tcp?",
  ],
  [
    "two rules of one name",
    rule("ports: [1] }, { name: web, ports: [2]"),
    "14:76",
    "firewall.open[1].name is the name of another rule",
    "give one of the two another name",
  ],
];

toldAlone(cases, undefined, {
  files: { "ca.pem": PEM },
  env: { PASSWORD: "hunter2hunter2", PROXMOX_TOKEN: "deployer@pve!talos=0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e" },
});

test("a CA certificate may be written in the config itself", () => {
  const { config } = load(
    changed({ "nodes:": `registries:\n  a.b:\n    ca: |\n      ${PEM.replaceAll("\n", "\n      ")}\nnodes:` }),
  );
  expect(config.registries[0]?.ca?.trim()).toBe(PEM.trim());
});

test("a plain-text password causes a warning that does not show it", () => {
  const config = changed(registry("username: robot, password: hunter2hunter2"));
  expect(load(config).warnings.map(({ message }) => message)).toEqual([
    "registries.docker.io.password is stored in plain text in this file",
  ]);
  const broken = changed({ "username: robot": "usrname: robot" }, config);
  expect(JSON.stringify(failure(broken).report())).not.toContain("hunter2hunter2");
});

test("warns about APIs that are open to the Internet", () => {
  expect(load(changed(firewall("admin: [0.0.0.0/0]"))).warnings.map(({ message }) => message)).toEqual([
    "firewall.admin[0] lets anyone reach the Talos and Kubernetes APIs",
  ]);
});

test("in an IPv4 cluster, an open rule allows only IPv4", () => {
  expect(load(changed(rule("ports: [443]"))).config.firewall?.open).toEqual([
    { name: "web", ports: ["443"], protocol: "tcp", from: ["0.0.0.0/0"] },
  ]);
});
