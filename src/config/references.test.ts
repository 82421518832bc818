import { Redactor } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import { changed, failure, load, problems, TOKEN, tokenOf } from "./testing/config-in-memory.ts";

const token = (to: string) => changed({ "${env:PROXMOX_TOKEN}": to });
const read = (config: string, trial = {}) => tokenOf(load(config, trial).config);

test("a file beside the config gives a value, without its last line break", () => {
  expect(read(token(`\${file:secrets/token}`), { files: { "secrets/token": `${TOKEN}\n` } })).toBe(TOKEN);
});

test("a path may begin at the home folder", () => {
  expect(read(token(`\${file:~/token}`), { env: { HOME: "/home/me" }, files: { "/home/me/token": TOKEN } })).toBe(TOKEN);
});

test("a reference may be part of a longer value", () => {
  const config = changed({ "name: homelab": `name: \${env:SITE}-\${env:STAGE}` });
  expect(load(config, { env: { PROXMOX_TOKEN: TOKEN, SITE: "home", STAGE: "test" } }).config.cluster.name).toBe("home-test");
});

test("references inside referenced values are not replaced", () => {
  const config = changed({ "name: homelab": `name: \${env:SITE}` });
  expect(problems(config, { env: { PROXMOX_TOKEN: TOKEN, SITE: `\${env:PROXMOX_TOKEN}` } })).toEqual([
    "3:9 cluster.name is not valid",
  ]);
});

test.each([
  [`\${env:GONE}`, "environment variable GONE is not set", "set it before running talosmith: export GONE=…"],
  [`\${env:EMPTY}`, "environment variable EMPTY is empty", "set it before running talosmith: export EMPTY=…"],
  [
    `\${file:gone}`,
    "file environments/homelab/gone does not exist",
    "create it, or correct the path: it is relative to the environment's folder",
  ],
  [`\${file:~/gone}`, "~ in ~/gone cannot be resolved", "set the environment variable HOME, or write the full path"],
  [`\${file:empty}`, "file environments/homelab/empty is empty", "write the value into it"],
  [`\${PROXMOX_TOKEN}`, `\${PROXMOX_TOKEN} is no reference`, `write \${env:PROXMOX_TOKEN} for the environment variable`],
  [`\${vault:token}`, `\${vault:token} is no reference`, `write \${env:NAME} or \${file:PATH}`],
])("unresolvable reference %s is reported once, at its place", (reference, message, hint) => {
  const found = failure(token(reference), { env: { EMPTY: "" }, files: { empty: "\n" } }).problems;
  expect(
    found.map((problem) => [problem.code, problem.message, problem.hint, problem.where?.line, problem.where?.column]),
  ).toEqual([["CONFIG_REFERENCE", message, hint, 12, 10]]);
});

test("an unresolvable reference is reported once, also for a value with several types", () => {
  const tls = /tls: .*/.exec(changed({}))?.[0] ?? "";
  expect(problems(changed({ [tls]: `tls: { fingerprint: "\${env:GONE}" }` }))).toEqual([
    "11:24 environment variable GONE is not set",
  ]);
});

test("only the invalid reference is marked", () => {
  const [problem] = failure(changed({ "name: homelab": `name: lab-\${env:GONE}-x` })).problems;
  expect(problem?.where?.frame?.split("\n").at(-1)).toBe("   │             ^^^^^^^^^^^");
});

test("a problem of a referenced value does not quote it, because it may be a secret at the wrong key", () => {
  const error = failure(changed({ "name: homelab": `name: \${env:PROXMOX_TOKEN}` }));
  expect(error.problems[0]?.hint).toBe(`check the value of \${env:PROXMOX_TOKEN}, such as name: homelab`);
  expect(JSON.stringify(error.report())).not.toContain("0b5c3f6e");
});

test("the redactor knows a referenced secret and each of its parts", () => {
  const redactor = new Redactor();
  load(token(`deployer@pve!talos=\${env:HALF}`), { env: { HALF: "0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e" } }, redactor);
  expect(redactor.text("x 0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e y")).toBe("x (secret) y");
});

test("a reference in place of a number gets the hint that references give text", () => {
  const [problem] = failure(changed({ "ip: 10.10.0.11": `ip: 10.10.0.11\n    cores: \${env:CORES}` }), {
    env: { PROXMOX_TOKEN: TOKEN, CORES: "4" },
  }).problems;
  expect([problem?.message, problem?.hint]).toEqual([
    "nodes[0].cores must be a whole number, but a reference gives text",
    "write the value itself, such as cores: 4",
  ]);
});
