import { Redactor } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import { isSecret } from "./secrets.ts";
import { changed, failure, load, TOKEN, tokenOf } from "./testing/config-in-memory.ts";

const HALF = TOKEN.split("=")[1] ?? "";
const literal = (spelling = TOKEN) => changed({ "${env:PROXMOX_TOKEN}": spelling });

test.each([
  ["a mistake on the next line", literal().replace("hosts: [pve1]", "hosts: 5"), HALF],
  ["a mistake on the same line", changed({ "  token: ${env:PROXMOX_TOKEN}": `  token: "${TOKEN}", x` }), HALF],
  ["a mistake in the token itself", literal("hunter2hunter2"), "hunter2"],
  ["a token in a folded text", changed({ "token: ${env:PROXMOX_TOKEN}": "token: >-\n    hunter2\n    hunter2" }), "hunter2"],
  ["a token under a misspelt key", literal().replace("token:", "tokn:"), HALF],
  ["a token that is not closed", literal(`"${TOKEN}`), HALF],
  ["a token at the wrong key", changed({ "name: homelab": `name: ${TOKEN}` }), HALF],
  ["a token used as a key", changed({ "name: homelab": `name: x\n  ${TOKEN}: 1` }), HALF],
  ["a token behind an alias", changed({ "name: homelab": "name: &t hunter2hunter2", "${env:PROXMOX_TOKEN}": "*t" }), "hunter2"],
  ["a number for a token", literal("123456789"), "123456789"],
  ["a user in the address", changed({ "https://192": "https://root:hunter2@192" }), "hunter2"],
])("%s does not show the secret", (_, config, secret) => {
  expect(config).toContain(secret);
  expect(JSON.stringify(failure(config).report())).not.toContain(secret);
});

test("the line of a literal token is shown with the value blanked", () => {
  const frame = failure(literal().replace("hosts: [pve1]", "hosts: 5")).problems[0]?.where?.frame;
  expect(frame?.split("\n")[0]).toBe(` 12 │   token: ${"*".repeat(TOKEN.length)}`);
});

test("a reference is not a secret and stays readable", () => {
  const frame = failure(changed({ "hosts: [pve1]": "hosts: 5" })).problems[0]?.where?.frame;
  expect(frame?.split("\n")[0]).toBe(` 12 │   token: \${env:PROXMOX_TOKEN}`);
});

test("a plain-text token works and causes a warning that does not show it", () => {
  const redactor = new Redactor();
  const { config, warnings } = load(literal(), {}, redactor);
  expect(tokenOf(config)).toBe(TOKEN);
  expect(warnings.map(({ message }) => message)).toEqual(["proxmox.token is stored in plain text in this file"]);
  expect(JSON.stringify(warnings)).not.toContain(HALF);
  expect(redactor.text(`a ${TOKEN} b`)).toBe("a (secret) b");
});

test("where() shows no secret either", () => {
  expect(JSON.stringify(load(literal()).where(["proxmox", "token"]))).not.toContain(HALF);
});

// Charts have many keys that name a secret, and few that hold one.
test.each([
  [["addons", "flux", "password"], true],
  [["addons", "flux", "ageKey"], true],
  [["addons", "flux", "url"], false],
  [["addons", "proxmoxCsi", "token"], true],
  [["addons", "monitoring", "destinations", "secret-store", "url"], false],
  [["addons", "monitoring", "destinations", "a", "password"], true],
  [["addons", "secrets", 0, "name"], false],
  [["addons", "secrets", 0, "data", "user"], true],
  [["addons", "charts", 0, "values", "auth", "existingSecret"], false],
  [["addons", "charts", 0, "values", "secretName"], false],
  [["addons", "charts", 0, "values", "passwordKey"], false],
  [["addons", "charts", 0, "values", "secret", "name"], false],
  [["addons", "charts", 0, "values", "users", 1, "apiToken"], true],
  [["addons", "manifests", 0, "inline", "stringData", "a"], true],
])("the value at %j is a secret: %s", (path, expected) => {
  expect(isSecret(path)).toBe(expected);
});

test("an age key is a secret at any path", () => {
  const key = `AGE-SECRET-KEY-1${"Q".repeat(58)}`;
  const config = changed({ "name: homelab": `name: ${key}` });
  expect(JSON.stringify(failure(config).report())).not.toContain(key);
});

test("the key in an age key file is a secret, its comments are not, and each half of a token is a secret", () => {
  const key = `AGE-SECRET-KEY-1${"Q".repeat(58)}`;
  const redactor = new Redactor();
  const addons = `addons:\n  flux: { url: https://git.home/a, ageKey: "\${file:age.agekey}" }\n  proxmoxCcm: { token: "\${env:T}" }\nnodes:`;
  const files = { "age.agekey": `# public key: age1xyz\n${key}\n` };
  const env = { PROXMOX_TOKEN: TOKEN, T: "ccm@pve!k=6f2d4c1e-90ab-4c3d-8e7f-102938475665" };
  load(changed({ "nodes:": addons }), { files, env }, redactor);
  expect(redactor.text(`age1xyz ${key} 6f2d4c1e-90ab-4c3d-8e7f-102938475665`)).toBe("age1xyz (secret) (secret)");
});

test.each([
  ["in double quotes", `"${TOKEN}"`, `"${"*".repeat(TOKEN.length)}"`],
  ["in single quotes", `'${TOKEN}'`, `'${"*".repeat(TOKEN.length)}'`],
  ["in double quotes, as a reference", `"\${env:PROXMOX_TOKEN}"`, `"\${env:PROXMOX_TOKEN}"`],
])("a secret %s keeps its quotes in a frame, so that the frame shows the shape of the file", (_, spelling, shown) => {
  const frame = failure(literal(spelling).replace("hosts: [pve1]", "hosts: 5")).problems[0]?.where?.frame;
  expect(frame?.split("\n")[0]).toBe(` 12 │   token: ${shown}`);
});
