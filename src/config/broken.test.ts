import { expect, test } from "vitest";
import { changed, failure, GOOD, problems } from "./testing/config-in-memory.ts";

test("all problems of a file are reported together, from top to bottom", () => {
  const config = changed({
    "name: homelab": "name: homelab\n  colour: red",
    "ip: 10.10.0.11": "ip: 10.11.0.11",
    "talos: v1.13.9": "talos: v1.13.9\n  kubernetes: v1.38.0",
  });
  expect(failure(config).message).toBe("environments/homelab/config.yaml has 3 problems");
  expect(problems(config)).toEqual([
    "4:3 cluster.colour is not a known key",
    "7:15 cluster.kubernetes v1.38.0 is newer than Talos v1.13.9 accepts",
    "19:9 nodes[0].ip is outside network.cidr",
  ]);
});

test("the frame shows the wrong line, the one before it and a marker with the reason", () => {
  const frame = failure(changed({ "ip: 10.10.0.11": "ip: 10.11.0.21" })).problems[0]?.where?.frame;
  expect(frame?.split("\n")).toEqual([
    " 16 │     role: controlplane",
    " 17 │     ip: 10.11.0.21",
    "    │         ^^^^^^^^^^ not in 10.10.0.0/24",
  ]);
});

test("without tls, the hint shows how to find the fingerprint of that very host", () => {
  const tls = / {2}tls: .*\n/.exec(GOOD)?.[0] ?? "";
  const [problem] = failure(changed({ [tls]: "" })).problems;
  expect([problem?.message, problem?.where?.line]).toEqual(["proxmox.tls is missing", 9]);
  expect(problem?.hint).toContain(
    "openssl s_client -connect 192.168.122.70:8006 </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256",
  );
  expect(problem?.hint).toContain("pve-ssl.pem, Fingerprint");
});

test.each([
  ["", "1:1 the file is empty"],
  ["# nothing yet\n", "1:1 the file is empty"],
  ["- platform: proxmox\n", "1:1 the file contains a list instead of sections"],
  ["proxmox\n", "1:1 the file contains a single value instead of sections"],
  ["platform: proxmox\n---\nplatform: proxmox\n", "3:1 a second YAML document begins here"],
  ["platform: proxmox\ncluster:\n\tname: x\n", "3:1 a tab is used for indentation"],
])("%j is refused: %s", (text, expected) => {
  expect(problems(text)).toEqual([expected]);
});

test("a file that is no UTF-8 is refused at the first wrong byte", () => {
  const [problem] = failure(Buffer.concat([Buffer.from("platform: proxmox\ncluster: "), Buffer.from([0xe4, 0x0a])])).problems;
  expect([problem?.where?.line, problem?.where?.column, problem?.hint]).toEqual([2, 10, "save the file as UTF-8"]);
});

test("problems after the first hundred are only counted", () => {
  const error = failure(`${GOOD}${Array.from({ length: 150 }, (_, n) => `unknown${n}: 1\n`).join("")}`);
  expect([error.message, error.problems.length]).toEqual(["environments/homelab/config.yaml has 150 problems", 100]);
});

test("an empty list of nodes is reported", () => {
  expect(problems(changed({ "nodes:\n": "nodes: []\nextra: |\n" }))).toEqual([
    "14:8 nodes is empty",
    "15:1 extra is not a known key",
  ]);
});

test("an unquoted reference in flow style is reported as such", () => {
  const [problem, ...others] = failure(changed({ "hosts: [pve1]": `hosts: [\${env:HOST}]` })).problems;
  expect(others).toEqual([]);
  expect([problem?.message, problem?.hint, problem?.where?.column]).toEqual([
    "a reference inside [ ] or { } must be in quotes",
    `write "\${env:HOST}"`,
    11,
  ]);
});

test("the hint for a wrong choice lists only available words", () => {
  const [problem] = failure(changed({ "platform: proxmox": "platform: usb" })).problems;
  expect([problem?.message, problem?.hint]).toEqual(["platform must be proxmox, metal or vps", "write proxmox, metal or vps"]);
});
