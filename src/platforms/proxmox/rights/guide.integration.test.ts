import { readFileSync } from "node:fs";
import { proxmoxState } from "@talosmith/lab/proxmox/state.ts";
import { runOnHost } from "@talosmith/lab/ssh/shell.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { expect, test } from "vitest";
import { testSession } from "../../../../test/support/toy.ts";
import { readContext } from "../../../engine/context.ts";
import type { TalosNodes } from "../../../talos/api/talos-nodes.ts";
import { checks } from "../doctor/checks.ts";
import { openSite } from "../site.ts";
import { ENVIRONMENT } from "../testing/environment-id.ts";
import { platformLab } from "../testing/platform-lab.ts";
import { testNode } from "../testing/test-node.ts";

function rootTypes(guide: string): string[] {
  const text = readFileSync(`docs/guides/${guide}`, "utf8");
  const lines = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = ""]) => block.split("\n"));
  return lines.filter((line) => /^(pveum|pvesm) /.test(line));
}

const typedByRoot = rootTypes("02-your-own-proxmox.md");

test.each(["8.4.21", "9.2.11"])(
  "the guide's commands for root on Proxmox VE %s are sufficient for a plain config",
  async (version) => {
    const bench = await platformLab({ version });
    const { access } = proxmoxState(bench.lab);
    const secret = access.users["talosmith@pve"]?.tokens.lab?.secret ?? "";
    Object.assign(access, { acl: [], roles: {} });
    delete access.users["talosmith@pve"];
    for (const line of typedByRoot) expect([line, await runOnHost(bench.lab, "pve1", line)]).toMatchObject([line, { code: 0 }]);
    const user = access.users["talosmith@pve"];
    expect(user?.tokens.deploy?.privsep).toBe(false);
    // The lab's config uses a token with another name.
    if (user) user.tokens = { lab: { secret, privsep: false, expire: 0 } };
    const session = { ...testSession(), world: realWorld() };
    const site = openSite(session.world, bench.environment({ nodes: [testNode({})] }), {} as TalosNodes);
    const nothing = { environment: ENVIRONMENT, owned: [], there: new Set<string>(), foreign: [] };
    // The nodes' network is not in the lab.
    const all = checks(site, nothing).filter(({ id }) => !/addresses|node-network/.test(id));
    const pass = new Map();
    const findings = await Promise.all(all.map((check) => check.run(readContext(session, check.id, new Map(), pass))));
    expect(findings.flat().filter(({ level }) => level !== "ok")).toEqual([]);
    expect(typedByRoot.length).toBeGreaterThan(10);
    site.client.close();
    await bench.close();
  },
);

test.each(["8.4.21", "9.2.11"])("the guide's commands for Proxmox's drivers work on Proxmox VE %s", async (version) => {
  const bench = await platformLab({ version });
  const { access } = proxmoxState(bench.lab);
  for (const line of rootTypes("08-addons.md"))
    expect([line, await runOnHost(bench.lab, "pve1", line)]).toMatchObject([line, { code: 0 }]);
  expect(Object.keys(access.users["kubernetes-csi@pve"]?.tokens ?? {})).toEqual(["csi"]);
  expect(Object.keys(access.users["kubernetes-ccm@pve"]?.tokens ?? {})).toEqual(["ccm"]);
  await bench.close();
});
