import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { type FieldCase, type Player, playerOf } from "../testing/field-case.ts";
import { FIELD_CASES } from "../testing/field-cases.ts";
import { DIFFER_BY_MAJOR, FULL, USUAL } from "../testing/field-machines.ts";
import { type PlatformLab, platformLab, type Wishes } from "../testing/platform-lab.ts";

interface Played extends FieldCase {
  field: string;
  node: ProxmoxNodeConfig;
}

/** A machine for every field, so that all are changed at once and each shows only its own difference. */
const PLAYED: readonly Played[] = Object.entries(FIELD_CASES).map(([field, one], at) => ({
  ...one,
  field,
  node: { ...USUAL, ...one.base, name: `worker-${at + 1}`, ip: `10.10.0.${at + 20}` },
}));

type Seen = Awaited<ReturnType<PlatformLab["planOfEach"]>>;

/** Creates the mappings of the devices that are passed through, under the names of the config, and the pools. */
async function furnish({ root }: PlatformLab): Promise<void> {
  const devices = (await root.call("GET", "/nodes/pve1/hardware/pci")) as Record<string, string | number>[];
  const card = devices.find(({ id }) => id === "0000:02:00.1") ?? {};
  const ids = (...parts: unknown[]) => parts.map((part) => String(part).slice(2)).join(":");
  const id = ids(card.vendor, card.device);
  const sub = ids(card.subsystem_vendor, card.subsystem_device);
  const map = `node=pve1,path=${card.id},id=${id},subsystem-id=${sub},iommugroup=${card.iommugroup}`;
  await root.call("POST", "/cluster/mapping/pci", { id: "card", map });
  const sticks = (await root.call("GET", "/nodes/pve1/hardware/usb")) as Record<string, string>[];
  const stick = sticks.find(({ manufacturer }) => manufacturer === "ITead");
  await root.call("POST", "/cluster/mapping/usb", { id: "key", map: `node=pve1,id=${stick?.vendid}:${stick?.prodid}` });
  for (const poolid of ["talos", "other"]) await root.call("POST", "/pools", { poolid });
}

/** Changes a machine in Proxmox, with a power cycle when the change needs one. */
async function changeBehind({ root }: PlatformLab, one: Played, who: Player, config: Record<string, string>): Promise<void> {
  const path = `/nodes/${who.host}/qemu/${who.vmid}`;
  if (one.whileOff) await root.task("POST", `${path}/status/stop`);
  if (one.behind) await root.task("POST", `${path}/config`, one.behind(config, who));
  if (one.call) {
    const [method, where, params] = one.call;
    const filled = Object.fromEntries(
      Object.entries(params).map(([key, value]) => [key, value.replace("VMID", String(who.vmid))]),
    );
    if (where === "/pools") await root.call(method, where, filled);
    else await root.task(method, `${path}${where}`, filled);
  }
  if (!one.shows?.(who).startsWith("restart")) return;
  await root.task("POST", `${path}/status/stop`);
  await root.task("POST", `${path}/status/start`);
}

const isReplaced = (one: FieldCase, who: Player) => one.applied?.(who).startsWith("replace") ?? false;

describe.each([
  ["9.2", PLAYED],
  ["8.4", PLAYED.filter(({ field }) => DIFFER_BY_MAJOR.includes(field))],
] as const)("on Proxmox VE %s", (version, played) => {
  let lab: PlatformLab;
  const players = new Map<string, Player>();
  const made = new Map<string, object>();
  const behind: Seen = new Map();
  const mended: Seen = new Map();
  const changed: Seen = new Map();
  const applied: Seen = new Map();
  const keep = (seen: Seen, into: Map<string, object>) => {
    for (const [name, one] of seen) into.set(name, one);
  };
  const who = ({ node }: Played) => players.get(node.name) as Player;

  beforeAll(async () => {
    lab = await platformLab({ version, bridges: ["vmbr0", "vmbr1"], memoryGiB: 256 });
    await furnish(lab);
    for (const as of ["token", "root"] as const) {
      const cases = played.filter((one) => (one.asRoot ?? false) === (as === "root"));
      if (cases.length === 0) continue;
      const wishes: Wishes = { as, nodes: cases.map(({ node }) => node) };
      await lab.up(wishes);
      keep(await lab.planOfEach(wishes), made);
      const vms = new Map((await lab.root.vms()).map((vm) => [vm.config.name, vm]));
      for (const { node } of cases) {
        const vm = vms.get(node.name);
        if (vm) players.set(node.name, playerOf(node, vm.vmid, vm.node));
      }
      await Promise.all(cases.map((one) => changeBehind(lab, one, who(one), vms.get(one.node.name)?.config ?? {})));
      keep(await lab.planOfEach(wishes), behind);
      await lab.up(wishes);
      keep(await lab.planOfEach(wishes), mended);

      const said = cases.filter(({ config }) => config).map((one) => ({ ...one, node: { ...one.node, ...one.config } }));
      keep(await lab.planOfEach({ as, nodes: said.map(({ node }) => node) }), changed);
      const staying = { as, nodes: said.filter((one) => !isReplaced(one, who(one))).map(({ node }) => node) } as const;
      await lab.up(staying);
      keep(await lab.planOfEach(staying), applied);

      for (const { node, nameservers } of cases.filter((one) => one.nameservers)) {
        const network: Wishes = { as, nodes: [node], ...(nameservers && { nameservers }) };
        keep(await lab.planOfEach(network), changed);
        await lab.up(network);
        keep(await lab.planOfEach(network), applied);
      }
    }
  }, 300_000);
  afterAll(() => lab.close());

  test.each(played.map((one) => [one.field, one] as const))("%s", (_, one) => {
    const { name } = one.node;
    expect(made.get(name)).toEqual({ notes: [] });

    const { change, notes = [] } = behind.get(name) ?? {};
    expect(change).toBe(one.shows?.(who(one)));
    expect(notes).toEqual(expect.arrayContaining(one.kept ? [one.kept(who(one))] : []));
    expect(mended.get(name)?.change).toBeUndefined();

    if (!one.config && !one.nameservers) return;
    expect(changed.get(name)?.change).toBe(one.applied?.(who(one)));
    expect(changed.get(name)?.notes).toEqual(expect.arrayContaining(one.refused ? [one.refused(who(one))] : []));
    expect(applied.get(name)?.change).toBeUndefined();
  });

  test("a machine with one of everything is made, and the next plan is empty", async () => {
    const nodes = [{ ...FULL, name: "worker-99", ip: "10.10.0.199" }];
    // Each device can be passed through to one machine only.
    await lab.run({ nodes: [] }, true);
    await lab.up({ nodes });
    expect(await lab.plan({ nodes })).toEqual({ changes: [], notes: [], errors: [] });
  });
});
