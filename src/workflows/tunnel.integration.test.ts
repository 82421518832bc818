import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { sshService } from "@talosmith/lab/ssh/service.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { Listener } from "@talosmith/lib/world/world.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { labConfig } from "../../test/support/config.ts";
import { type TestSession, testSession } from "../../test/support/toy.ts";
import { openTunnel } from "./tunnel.ts";

const world = realWorld({ timeScale: 1 });
let lab: RunningLab;
let folder: string;
let session: TestSession;
const listeners: Listener[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tunnel-"));
  lab = await createLab(world, { seed: "tunnel", timeScale: "instant", services: [sshService()] });
  await lab.start();
  session = testSession({ files: world.files, env: { LAB_TOKEN: "root@pam!x=0d3f1c1e-0000-4000-8000-000000000000" } });
});
afterEach(async () => {
  session.abort();
  await Promise.all(listeners.splice(0).map((one) => one.close()));
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Two control planes, of which the first is down. */
async function configured(via: "direct" | "ssh"): Promise<void> {
  const { port, key = "", fingerprint } = lab.published().ssh ?? {};
  writeFileSync(join(folder, "key"), key, { mode: 0o600 });
  const config = labConfig({
    block: lab.address.prefix,
    url: `https://${lab.address.host(1)}:8006`,
    fingerprint: Array.from({ length: 32 }, () => "AA").join(":"),
    token: "",
    factory: `http://${lab.address.host(2)}:8080`,
    hosts: ["pve1"],
  });
  const ssh = `via: ssh, ssh: { port: ${port}, key: "${join(folder, "key")}", hostKey: "${fingerprint}" }`;
  const text = config.replace("count: 1", "count: 3").replace("gateway: ", `${via === "ssh" ? ssh : "via: direct"}, gateway: `);
  writeFileSync(join(folder, "config.yaml"), text);
}

async function api(last: number, words: string, onlyFromInside = false): Promise<void> {
  const admits = (from: string) => !onlyFromInside || from.startsWith(`${lab.address.prefix}.`);
  const at = { host: lab.address.host(last), port: 6443, admits };
  listeners.push(await world.net.listen(at, (socket) => socket.on("error", () => {}).end(words)));
}

async function opened(): Promise<{ address: string; over: Promise<number> }> {
  const over = openTunnel(session, folder);
  const facts = () => session.events.flatMap((event) => (event.type === "result" ? [event.result] : []));
  await Promise.race([over, expect.poll(facts, { interval: 5 }).toHaveLength(1)]);
  const [result] = facts();
  if (result?.kind !== "facts") throw new Error("no address was shown");
  return { address: String(result.facts.find(({ key }) => key === "address")?.value), over };
}

async function ask(address: string): Promise<string> {
  const socket = await world.net.dial({ host: "127.0.0.1", port: Number(new URL(address).port) });
  return String(Buffer.concat(await socket.toArray()));
}

test.each(["direct", "ssh"] as const)("%s: the tunnel leads to the first control plane that answers", async (via) => {
  await configured(via);
  await api(12, "the second", via === "ssh");
  await api(13, "the third", via === "ssh");
  const { address, over } = await opened();
  expect([await ask(address), await ask(address)]).toEqual(["the second", "the second"]);
  session.abort();
  expect(await over).toBe(0);
  await expect(ask(address)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("the address comes first, then each connection, and the command to type says whose certificate it is", async () => {
  await configured("ssh");
  await api(11, "the first");
  const { address } = await opened();
  await ask(address);
  expect(session.events).toMatchObject([
    {
      type: "result",
      result: {
        kind: "facts",
        name: "tunnel",
        next: [
          `kubectl --kubeconfig ${folder}/kubeconfig --server ${address} --tls-server-name ${lab.address.host(5)} get nodes`,
        ],
      },
    },
    { type: "notice", level: "info", message: `connection 1 to cp-1 (${lab.address.host(11)}:6443)` },
  ]);
});

test("a cluster that is not up yet is reported, and served once it is up", async () => {
  await configured("ssh");
  const { address } = await opened();
  expect(await ask(address).catch(() => "")).toBe("");
  await api(11, "the first");
  expect(await ask(address)).toBe("the first");
  const notices = session.events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
  expect(notices).toEqual([
    expect.stringContaining("no control plane answers"),
    "connection 1 failed: no control plane answers",
    expect.stringContaining("connection 2 to cp-1"),
  ]);
});

test("an unusable SSH host ends the command at once", async () => {
  await configured("ssh");
  lab.state<{ hosts: { hostKey: object }[]; userKey: object }>("ssh").userKey = lab.state<{ hosts: { hostKey: object }[] }>("ssh")
    .hosts[0]?.hostKey as object;
  await expect(openTunnel(session, folder)).rejects.toMatchObject({ kind: "user", code: "SSH_AUTH" });
});

test("a port that is taken is a user error", async () => {
  await configured("direct");
  const taken = await world.net.listen({ host: "127.0.0.1", port: 0 }, (socket) => socket.destroy());
  listeners.push(taken);
  await expect(openTunnel(session, folder, taken.port)).rejects.toMatchObject({ kind: "user", code: "TUNNEL_PORT" });
});
