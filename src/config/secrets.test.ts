import { expect, test } from "vitest";
import { Redactor } from "../lib/secret.ts";
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

test("a reference is no secret and stays readable", () => {
  const frame = failure(changed({ "hosts: [pve1]": "hosts: 5" })).problems[0]?.where?.frame;
  expect(frame?.split("\n")[0]).toBe(` 12 │   token: \${env:PROXMOX_TOKEN}`);
});

test("a literal token works, and is warned about without being shown", () => {
  const redactor = new Redactor();
  const { config, warnings } = load(literal(), {}, redactor);
  expect(tokenOf(config)).toBe(TOKEN);
  expect(warnings.map(({ message }) => message)).toEqual(["proxmox.token is written out in the file"]);
  expect(JSON.stringify(warnings)).not.toContain(HALF);
  expect(redactor.text(`a ${TOKEN} b`)).toBe("a (secret) b");
});

test("where() shows no secret either", () => {
  expect(JSON.stringify(load(literal()).where(["proxmox", "token"]))).not.toContain(HALF);
});
