import { realWorld } from "@talosmith/lib/world/real.ts";
import { expect, test } from "vitest";
import { testSession } from "../../../../test/support/toy.ts";
import { readContext } from "../../../engine/context.ts";
import { type Answer, api } from "../client/testing/api.ts";
import type { Site } from "../site.ts";
import { testNode } from "../testing/test-node.ts";
import { rightsAreThere } from "./rights.ts";

const world = realWorld();
const config = {
  nodes: [testNode({ name: "cp-1", role: "controlplane", ip: "10.10.0.11", bridge: "nodes" })],
  image: { method: "import" },
  proxmox: { hosts: ["pve1"], storage: { images: "local" } },
};
const MOST = ["VM.Allocate", "VM.Audit", "VM.Config.CDROM", "VM.Config.CPU", "VM.Config.Cloudinit", "VM.Config.Disk"];
const MORE = ["VM.Config.HWType", "VM.Config.Memory", "VM.Config.Network", "VM.Config.Options", "VM.PowerMgmt", "Sys.Audit"];
const REST = ["Datastore.AllocateSpace", "Datastore.AllocateTemplate", "Datastore.Audit", "Sys.AccessNetwork"];
const privileges = Object.fromEntries([...MOST, ...MORE, ...REST].map((name) => [name, 1]));

/**
 * The findings for these virtual networks: Proxmox lists them only to logins that may use or audit them, without their zone (pve-network,
 * get_local_vnets).
 */
async function findings(networks: object[]) {
  const answers: Record<string, unknown> = {
    "/version": { version: "9.2.11" },
    "/nodes": [{ node: "pve1", status: "online" }],
    "/nodes/pve1/network?type=any_bridge": networks,
    "/access/roles": [],
    "/access/permissions": Object.fromEntries(["/", "/nodes", "/sdn", "/storage", "/vms"].map((path) => [path, privileges])),
  };
  const server = await api(world, ({ path }): Answer => {
    const asked = new URLSearchParams(path.split("?")[1]).get("path");
    return { data: asked === null ? answers[path] : { [asked]: privileges } };
  });
  const client = server.client();
  const site = { client, env: { config } } as unknown as Site;
  const check = rightsAreThere(site, { environment: "e", owned: [], there: new Set(), foreign: [] });
  const found = await check.run(readContext({ ...testSession(), world }, check.id, new Map(), new Map()));
  client.close();
  await server.close();
  return found.map(({ level, message }) => `${level} ${message.split("\n")[1]?.trim() ?? ""}`);
}

test("a virtual network is accepted where it is listed, because its zone is not visible", async () => {
  expect(await findings([{ iface: "nodes", type: "vnet", active: "1" }])).toEqual(["ok "]);
});

test("the right on a host's bridge is checked in the zone of all bridges", async () => {
  expect(await findings([])).toEqual(["fail SDN.Use on /sdn/zones/localnetwork/nodes  to plug cp-1 into it"]);
});
