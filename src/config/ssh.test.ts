import { Redactor } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import { changed, failure, load, loadMetal, METAL, problems, TOKEN } from "./testing/config-in-memory.ts";

const via = (ssh = "") => changed({ "network:\n": `network:\n  via: ssh\n${ssh === "" ? "" : `  ssh: ${ssh}\n`}` });
const sshOf = (config: string, trial = {}) => load(config, trial).config.network.ssh;

/** Made with ssh-keygen for this test; the fingerprint is what `ssh-keygen -lf` printed for it. */
const PUBLIC = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP6gKBGjsweN3z/+b7KNt0riMHZYY+GyRo2L9IstBBsH";
const FINGERPRINT = "SHA256:Z4gN4KYiN96UHU6pT/9QFla7xNriWO2OUviGhzJFm/4";
const KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n";

test("via: ssh logs in as root on the host of the Proxmox API by default", () => {
  expect(load(via()).config.network).toMatchObject({ via: "ssh", ssh: { host: "192.168.122.70", port: 22, user: "root" } });
  expect(sshOf(via())).toEqual({ host: "192.168.122.70", port: 22, user: "root" });
});

test("host, port and user of network.ssh can be set", () => {
  expect(sshOf(via("{ host: jump.home, port: 2222, user: me }"))).toEqual({ host: "jump.home", port: 2222, user: "me" });
});

test("a host key becomes a fingerprint from either notation", () => {
  const written = [FINGERPRINT, `${FINGERPRINT}=`, PUBLIC, `${PUBLIC} root@pve`, `192.168.122.70 ${PUBLIC}`];
  expect(written.map((hostKey) => sshOf(via(`{ hostKey: "${hostKey}" }`))?.hostKey)).toEqual(written.map(() => FINGERPRINT));
});

test("a damaged public key is not accepted", () => {
  expect(problems(via(`{ hostKey: "${PUBLIC.replace("AAAAC3", "AAAAC4")}" }`))).toEqual([
    "8:19 network.ssh.hostKey is not an SSH host key",
  ]);
});

test("the private key comes from a file, a reference to a file, or an environment variable", () => {
  const trial = { files: { id: KEY, "/home/me/.ssh/id": KEY }, env: { PROXMOX_TOKEN: TOKEN, HOME: "/home/me", KEY } };
  for (const key of ["id", "~/.ssh/id", `\${file:id}`, `\${env:KEY}`])
    expect(sshOf(via(`{ key: "${key}" }`), trial)?.key?.reveal()).toBe(KEY);
});

test("a private key is known to the redactor from the start, a path is not", () => {
  const redactor = new Redactor();
  load(via(`{ key: id }`), { files: { id: KEY } }, redactor);
  expect([redactor.text(KEY), redactor.text("network.ssh.key id")]).toEqual(["(secret)", "network.ssh.key id"]);
});

test("no code frame shows a private key that is in the config", () => {
  const config = changed({
    "network:\n": `network:\n  via: ssh\n  ssh:\n    key: |\n${KEY.replaceAll(/^(?=.)/gm, "      ")}    port: x\n`,
  });
  expect(JSON.stringify(failure(config).report())).not.toContain("b3BlbnNzaC1rZXktdjEAAAAA");
});

test.each([
  ["gone", "does not exist"],
  ["id.pub", "contains no private key"],
  ["~/id", "has a ~ in its path, but HOME is not set"],
])("a key file %s that %s is reported at its line", (key, wrong) => {
  expect(problems(via(`{ key: ${key} }`), { files: { "id.pub": PUBLIC } })).toEqual([
    `8:15 network.ssh.key names a file that ${wrong}`,
  ]);
});

test("network.ssh.host is required on metal", () => {
  expect(problems(changed({ "network:\n": "network:\n  via: ssh\n" }, METAL))).toEqual(["7:3 network.ssh.host is missing"]);
  const config = changed({ "network:\n": "network:\n  via: ssh\n  ssh: { host: 10.0.0.1 }\n" }, METAL);
  expect(loadMetal(config).config.network.ssh?.host).toBe("10.0.0.1");
});

test("warns about network.ssh without via: ssh", () => {
  const { config, warnings } = load(changed({ "network:\n": "network:\n  ssh: { host: jump }\n" }));
  expect(warnings.map(({ message }) => message)).toEqual(["network.ssh is not used: network.via is direct"]);
  expect(config.network.ssh).toBeUndefined();
});
