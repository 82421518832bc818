import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realNet } from "@talosmith/lib/world/net.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { Dial } from "@talosmith/lib/world/world.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openRehearsal, type Rehearsal } from "./open.ts";

let folder: string;
let rehearsal: Rehearsal | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talosmith-rehearsal-"));
});
afterEach(async () => {
  await rehearsal?.close();
  rmSync(folder, { recursive: true });
});

const CONFIG = `platform: proxmox
cluster: { name: homelab, endpoint: 192.168.7.11, talos: v1.13.9 }
network: { cidr: 192.168.7.0/24, gateway: 192.168.7.1 }
proxmox: { url: "https://pve.home.arpa:8006", tls: system, token: "\${env:PROXMOX_TOKEN}", hosts: [pve] }
nodes: [{ name: cp, role: controlplane, ip: 192.168.7.11 }]
`;

/** Opens a rehearsal and notes what really is dialled. */
async function open(): Promise<{ dialled: Dial[]; opened: Rehearsal }> {
  writeFileSync(join(folder, "config.yaml"), CONFIG);
  const dialled: Dial[] = [];
  const dial: typeof realNet.dial = (to, signal) => {
    if (!to.over) dialled.push(to);
    return realNet.dial(to, signal);
  };
  const world = { ...realWorld(), net: { ...realNet, dial } };
  rehearsal = await openRehearsal(world, folder, new Redactor(), { seed: "guard" }, new AbortController().signal);
  return { dialled, opened: rehearsal };
}

test("no connection can leave the lab: not to a neighbour of the site, not to the Internet, not to another program of this computer", async () => {
  const { dialled, opened } = await open();
  const { net } = opened.world;
  const other = await realNet.listen({ host: "127.0.0.1", port: 0 }, (socket) => socket.destroy());
  const places = ["192.168.7.12:50000", "192.168.7.2:8006", "factory.talos.dev:80", "example.org:443", `127.0.0.1:${other.port}`];
  for (const place of places) {
    const [host = "", port = ""] = place.split(":");
    await expect(net.dial({ host, port: Number(port) })).rejects.toMatchObject({
      code: "REHEARSAL_OUTSIDE",
      message: `Unable to connect to ${place}: it is not part of the lab`,
    });
  }
  await other.close();
  expect([dialled, opened.refused]).toEqual([[], places]);
});

test("the config's Proxmox is the lab's, and a node that is not there refuses connections as a free address does", async () => {
  const { dialled, opened } = await open();
  const { net } = opened.world;
  const tls = { trust: { by: "system" } } as const;
  const socket = await net.dial({ host: "pve.home.arpa", port: 8006, tls });
  socket.destroy();
  expect(dialled).toEqual([expect.objectContaining({ host: opened.lab.address.host(1), port: 8006 })]);
  await expect(net.dial({ host: "192.168.7.11", port: 50_000 })).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("no rehearsed command starts a process", async () => {
  const { opened } = await open();
  expect(() => opened.world.processes.spawnSelf([], "log")).toThrow("must not start");
});

test("files that commands wrote for the real cluster do not exist in the rehearsal; those of the user do", async () => {
  const written = ["secrets.yaml", "talosconfig", "outputs.json", "controlplane.yaml", "patch-cp.yaml", "wg-laptop.conf"];
  for (const name of [...written, "my-patch.yaml"]) writeFileSync(join(folder, name), "");
  const { opened } = await open();
  expect(opened.files.list(folder)).toEqual(["config.yaml", "my-patch.yaml"]);
});
