import { TalosmithError } from "@talosmith/lib/errors.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyAnswer, ODD } from "../../../../test/support/any-answer.ts";
import { runs } from "../../../../test/support/runs.ts";
import { permissions, permissionsAt, roles } from "./access.ts";
import type { ProxmoxClient } from "./client.ts";
import { clusterStatus } from "./cluster.ts";
import { mappings, pciDevices } from "./hardware.ts";
import { bridges, certificates, hostStatus, hosts, hostTime, version } from "./nodes.ts";
import { pools } from "./pools.ts";
import { vmConfig, vms, vmsOfCluster } from "./qemu.ts";
import { contentOf, readRefusal } from "./refusal.ts";
import { storages, volumes } from "./storage.ts";
import { runningTasks } from "./tasks.ts";

/* Whatever Proxmox answers, each question has an answer of the right shape, or an error that says who was not understood. */

const QUESTIONS: Record<string, (client: ProxmoxClient) => Promise<unknown>> = {
  version,
  hosts,
  bridges: (client) => bridges(client, "pve1"),
  hostStatus: (client) => hostStatus(client, "pve1"),
  hostTime: (client) => hostTime(client, "pve1"),
  certificates: (client) => certificates(client, "pve1"),
  permissions,
  permissionsAt: (client) => permissionsAt(client, ["/", "/vms"]),
  roles,
  clusterStatus,
  pciDevices: (client) => pciDevices(client, "pve1"),
  mappings: (client) => mappings(client, "pci"),
  pools,
  storages: (client) => storages(client, "pve1"),
  volumes: (client) => volumes(client, "pve1", "local", "import"),
  vms: (client) => vms(client, "pve1"),
  vmsOfCluster,
  vmConfig: (client) => vmConfig(client, "pve1", 100),
  runningTasks: (client) => runningTasks(client, "pve1"),
};

const KEYS = [
  ...[
    "node",
    "status",
    "vmid",
    "name",
    "type",
    "key",
    "value",
    "pending",
    "delete",
    "upid",
    "iface",
    "memory",
    "total",
    "cpuinfo",
  ],
  ...["storage", "content", "volid", "size", "roleid", "privs", "id", "map", "poolid", "version", "time"],
];
const answer = fc.oneof(
  anyAnswer(KEYS),
  fc.array(fc.dictionary(fc.constantFrom(...KEYS, "__proto__"), fc.constantFrom(...ODD)), { maxLength: 2 }),
);

test.each(Object.entries(QUESTIONS))("%s", async (_, ask) => {
  await fc.assert(
    fc.asyncProperty(answer, async (said) => {
      const client = { get: async () => said } as unknown as ProxmoxClient;
      await ask(client).catch((error: unknown) => {
        if (!(error instanceof TalosmithError)) throw error;
        expect([error.kind, error.code]).toEqual(["remote", "PROXMOX_ANSWER"]);
      });
    }),
    { numRuns: runs(60, 5_000) },
  );
});

test.each(["../../access", "a/b", "..", "", "x y", "a?b", "a#b", "a%2fb"])(
  "a host called %j becomes no part of a path",
  async (node) => {
    const client = { get: async () => [{ node, vmid: 100, status: "online" }] } as unknown as ProxmoxClient;
    await expect(vmsOfCluster(client)).rejects.toMatchObject({ code: "PROXMOX_ANSWER" });
    await expect(hosts(client)).rejects.toMatchObject({ code: "PROXMOX_ANSWER" });
  },
);

test.each([0, -1, 1.5, 1e300, "1e999", "0x10/../..", null])("%j is no VM's id", async (vmid) => {
  const client = { get: async () => [{ node: "pve1", vmid }] } as unknown as ProxmoxClient;
  await expect(vms(client, "pve1")).rejects.toMatchObject({ code: "PROXMOX_ANSWER" });
});

test("a refusal is read whatever it is made of", () => {
  fc.assert(
    fc.property(fc.oneof(answer, fc.record({ message: answer, errors: answer, data: answer })), fc.string(), (said, reason) => {
      const told = { status: 500, reason, body: JSON.stringify(said) ?? "" };
      expect(readRefusal(told, contentOf(told)).refusal.reason).not.toBe("");
    }),
  );
});

test("brackets without end are no answer", () => {
  expect(contentOf({ status: 200, reason: "OK", body: `{"data":${"[".repeat(50_000)}${"]".repeat(50_000)}}` })).toBeUndefined();
});
