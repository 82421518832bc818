import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { EventBus } from "../engine/bus.ts";
import type { Event } from "../engine/event.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { ProxmoxClient } from "../platforms/proxmox/client/client.ts";
import { version } from "../platforms/proxmox/client/nodes.ts";
import { isOnProxmox } from "../platforms/proxmox/config/config-on-proxmox.ts";
import { withFirstUse } from "./first-use.ts";
import { type Impostor, impostor } from "./testing/impostor.ts";

const TOKEN = "root@pam!talosmith=7c1f9a52-3b0e-4d86-a1f4-5e2b8c9d0e1f";
const world = realWorld();
const { signal } = new AbortController();
let server: Impostor;
let folder: string;
let events: Event[];

beforeAll(async () => {
  server = await impostor(
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 28\r\n\r\n{"data":{"version":"9.2.3"}}',
  );
  folder = mkdtempSync(join(tmpdir(), "talosmith-first-use-"));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  events = [];
});

const config = (proxmox: string) => `# ours
platform: proxmox
cluster: { name: homelab, endpoint: 10.10.0.5, talos: v1.13.9 }
network: { cidr: 10.10.0.0/24, gateway: 10.10.0.1 }
${proxmox}
nodes:
  - { name: cp, role: controlplane, ip: 10.10.0.11 } # the only one
`;
const BLOCK = () => `proxmox:
  # the big one
  url: ${server.url} # by address
  token: ${TOKEN}
  hosts: [pve1]
  bridge: vmbr0`;

/** `answer`: the user's answer; absent: no terminal. */
async function command(text: string, answer?: string): Promise<string> {
  writeFileSync(join(folder, "config.yaml"), text);
  writeFileSync(join(folder, "url"), `${server.url}\n`);
  const bus = new EventBus(world.clock, new Redactor());
  bus.listen((event) => events.push(event));
  const session = { world, bus, signal, redactor: new Redactor(), mayMutate: () => {} };
  const ask = answer === undefined ? undefined : async () => answer;
  return withFirstUse(session, folder, ask, async () => {
    const { config: loaded } = openEnvironment(world, folder, new Redactor());
    if (!isOnProxmox(loaded)) return "another platform";
    return loaded.proxmox.tls.by === "fingerprint" ? loaded.proxmox.tls.fingerprint : loaded.proxmox.tls.by;
  });
}

const written = () => readFileSync(join(folder, "config.yaml"), "utf8");
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail("it was expected to fail"),
    (error: unknown) => (error instanceof TalosmithError ? error : expect.fail(String(error))),
  );

test.each<[string, () => string, (fingerprint: string) => string]>([
  [
    "nothing about trust",
    BLOCK,
    (seen) => BLOCK().replace("  # the big one\n  url", `  # the big one\n  tls: { fingerprint: "${seen}" }\n  url`),
  ],
  [
    "a blank fingerprint",
    () => `${BLOCK()}\n  tls: { fingerprint: REPLACE_ME } # soon`,
    (seen) => `${BLOCK()}\n  tls: { fingerprint: "${seen}" } # soon`,
  ],
  [
    "an address that is a reference",
    () => BLOCK().replace(/url: \S+/, `url: "\${file:url}"`),
    (seen) => BLOCK().replace(/url: \S+/, `tls: { fingerprint: "${seen}" }\n  url: "\${file:url}"`),
  ],
  ["a blank instead of it all", () => `${BLOCK()}\n  tls: REPLACE_ME`, (seen) => `${BLOCK()}\n  tls: { fingerprint: "${seen}" }`],
  [
    "a section in braces",
    () => `proxmox: { url: "${server.url}", token: "${TOKEN}", hosts: [pve1], bridge: vmbr0 }`,
    (seen) =>
      `proxmox: { tls: { fingerprint: "${seen}" }, url: "${server.url}", token: "${TOKEN}", hosts: [pve1], bridge: vmbr0 }`,
  ],
])("with %s, a confirmed fingerprint is written beside the address, and everything else stays", async (_, before, after) => {
  const seen = server.fingerprint();
  expect(await command(config(before()), "y")).toBe(seen);
  expect(written()).toBe(config(after(seen)));
  expect(JSON.stringify(events)).toContain(seen);
  expect(JSON.stringify(events)).toContain("openssl x509 -in /etc/pve/local/pve-ssl.pem");
});

test.each([
  ["there is no terminal", undefined, "there is no terminal to confirm it"],
  ["the person says no", "n", "was not confirmed"],
  ["the person says nothing", "", "was not confirmed"],
])("when %s, the command stops with the line to add, and nothing is written or sent", async (_, answer, says) => {
  const error = await failure(command(config(BLOCK()), answer));
  expect(error).toMatchObject({ code: "TLS_UNPINNED", message: expect.stringContaining(says) });
  expect(error.hint).toContain(`tls: { fingerprint: "${server.fingerprint()}" }`);
  expect(error.detail).toContain("Nothing was sent.");
  expect(written()).toBe(config(BLOCK()));
  expect(server.heard()).toBe("");
});

test("other problems of the config are reported first, and no server is contacted", async () => {
  const error = await failure(command(config(BLOCK().replace("[pve1]", "[]")), "y"));
  expect(error.code).toBe("CONFIG_INVALID");
  expect(events).toEqual([]);
});

test("a server with another certificate than the pinned one gets no byte of a token, even if it changes between two calls", async () => {
  const redactor = new Redactor();
  const access = (fingerprint: string) => ({
    url: server.url,
    tls: { by: "fingerprint" as const, fingerprint },
    token: redactor.secret(TOKEN),
  });
  const stranger = new ProxmoxClient(world, access("00:".repeat(31).concat("00")), { calls: 0, bytes: 0 });
  const refused = await failure(version(stranger, signal));
  expect(refused).toMatchObject({ code: "TLS_FINGERPRINT", hint: expect.stringContaining("Nothing was sent.") });
  expect(refused.detail).toContain(`pinned 00:00`);
  expect(refused.detail).toContain(`seen   ${server.fingerprint()}`);
  expect(server.heard()).toBe("");
  stranger.close();

  const client = new ProxmoxClient(world, access(server.fingerprint()), { calls: 0, bytes: 0 });
  expect(await version(client, signal)).toBe("9.2.3");
  const before = server.heard();
  expect(before).toContain(TOKEN);
  await server.change();
  expect((await failure(version(client, signal))).code).toBe("TLS_FINGERPRINT");
  expect(server.heard()).toBe(before);
  client.close();
});
