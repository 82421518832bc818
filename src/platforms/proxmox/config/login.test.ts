import { Redactor } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import { changed, GOOD, load, loadFolder, problems, TOKEN, tokenOf } from "../../../config/testing/config-in-memory.ts";
import { type Case, toldAlone } from "../../../config/testing/told-alone.ts";
import { isOnProxmox } from "./config-on-proxmox.ts";

const LINE = `  token: \${env:PROXMOX_TOKEN}\n`;
const login = (lines: string) => changed({ [LINE]: lines });
const byPassword = login(`  user: me@pve\n  password: \${env:PROXMOX_PASSWORD}\n`);
const env = { PROXMOX_PASSWORD: "correct horse" };

test("a user with a password logs in without a token", () => {
  const { config, warnings } = load(byPassword, { env });
  expect(warnings).toEqual([]);
  expect(config.proxmox).toMatchObject({ user: "me@pve" });
});

const cases: Case[] = [
  ["no way to log in", { [LINE]: "" }, "9:1", "proxmox.token is missing", `add under proxmox:\ntoken: \${env:PROXMOX_TOKEN}`],
  [
    "a user without a password",
    { [LINE]: "  user: root@pam\n" },
    "9:1",
    "proxmox.password is missing",
    `add under proxmox:\npassword: \${env:PROXMOX_PASSWORD}`,
  ],
  [
    "a password without a user",
    { [LINE]: `  password: \${env:PROXMOX_TOKEN}\n` },
    "9:1",
    "proxmox.user is missing",
    "add under proxmox:\nuser: root@pam",
  ],
  [
    "two ways to log in",
    { [LINE]: `${LINE}  user: root@pam\n  password: \${env:PROXMOX_TOKEN}\n` },
    "13:3",
    "proxmox has both token and user",
    "keep token; or user and password, for what only root@pam may do",
  ],
  [
    "a user without a realm",
    { [LINE]: `  user: root\n  password: \${env:PROXMOX_TOKEN}\n` },
    "12:9",
    "proxmox.user is not a user with a realm",
    "write both, such as root@pam or me@pve",
  ],
  ["a misspelt token", { "  token:": "  tokn:" }, "12:3", "proxmox.tokn is not a known key", "did you mean token?"],
  [
    "a file with root's key that is not there",
    { [LINE]: `${LINE}  ssh: { key: gone }\n` },
    "13:15",
    "proxmox.ssh.key names a file that does not exist",
    "name a private key such as ~/.ssh/id_ed25519 (not the .pub file), or remove key to use the SSH agent and the usual files",
  ],
];
toldAlone(cases);

test("a plain-text password causes a warning that does not show it, and the redactor knows it", () => {
  const redactor = new Redactor();
  const { warnings } = load(login("  user: me@pve\n  password: correct horse\n"), {}, redactor);
  expect(warnings.map(({ message }) => message)).toEqual(["proxmox.password is stored in plain text in this file"]);
  expect(JSON.stringify(warnings)).not.toContain("correct horse");
  expect(redactor.text("it is correct horse")).toBe("it is (secret)");
});

test("warns about root's password, unless a setting needs root", () => {
  const root = byPassword.replace("me@pve", "root@pam");
  const said = (text: string) => load(root.replace("count: 2", text), { env }).warnings.map(({ message }) => message);
  expect(said("count: 2")).toEqual(["proxmox.user is root@pam, which has all rights, but nothing in this config needs them"]);
  expect(said("pci: [{ mapping: gpu0 }]")).toHaveLength(1);
  for (const needing of ['affinity: "0-3"', "hugepages: true", "pci: [01:00]", 'usb: ["046d:c52b"]'])
    expect(said(needing)).toEqual([]);
});

const without = (config: string, trial = {}) =>
  loadFolder({ files: { "config.yaml": config }, env: {}, ...trial }, new Redactor(), { withoutLogin: true });

test.each([
  ["a file that is not there", `\${file:proxmox-token}`],
  ["a variable that is not set", `\${env:PROXMOX_TOKEN}`],
])("a command that creates the login accepts %s, and gets the reference", (_, reference) => {
  const { config, tokenReference } = without(changed({ "${env:PROXMOX_TOKEN}": reference }));
  expect([isOnProxmox(config) && tokenOf(config), tokenReference]).toEqual(["", reference]);
});

test("a command that creates the login accepts a missing or an existing token", () => {
  expect(without(login(""))).not.toHaveProperty("tokenReference");
  const { config, tokenReference } = without(GOOD, { env: { PROXMOX_TOKEN: TOKEN } });
  expect([isOnProxmox(config) && tokenOf(config), tokenReference]).toEqual([TOKEN, `\${env:PROXMOX_TOKEN}`]);
});

test("for such a command only the login may be missing, and a present one must be valid", () => {
  const other = changed({ "name: homelab": `name: \${env:GONE}` });
  expect(() => without(other)).toThrow("has 1 problem");
  expect(() => without(GOOD, { env: { PROXMOX_TOKEN: "hunter2" } })).toThrow("has 1 problem");
  expect(problems(GOOD, { env: {} })).toEqual(["12:10 environment variable PROXMOX_TOKEN is not set"]);
});

test("a plain-text token is not a reference", () => {
  expect(load(changed({ "${env:PROXMOX_TOKEN}": TOKEN }))).not.toHaveProperty("tokenReference");
});
