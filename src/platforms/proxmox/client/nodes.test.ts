import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import type { ProxmoxClient } from "./client.ts";
import { hosts } from "./nodes.ts";

// PVE::API2Tools::extract_node_stats sets `unknown` when there are no figures of the host.
test("a host with the status unknown is queried directly", async () => {
  const asked: string[] = [];
  const get = async (path: string) => {
    asked.push(path);
    if (path === "/nodes")
      return ["online", "offline", "unknown", "unknown"].map((status, index) => ({ node: `pve${index + 1}`, status }));
    if (path === "/nodes/pve3/version") return { version: "9.2.11" };
    throw remoteError("PROXMOX", { message: "no", cause: { status: 595, reason: "No route to host", errors: {} } });
  };
  const found = await hosts({ get } as unknown as ProxmoxClient);
  expect(found.map(({ name, online }) => `${name} ${online}`)).toEqual(["pve1 true", "pve2 false", "pve3 true", "pve4 false"]);
  expect(asked).toEqual(["/nodes", "/nodes/pve3/version", "/nodes/pve4/version"]);
});
