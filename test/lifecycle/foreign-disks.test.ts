import type { ProxmoxState } from "@talosmith/lab/proxmox/state.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ConfigWishes } from "../support/config.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { attachDisk } from "./foreign-disks.ts";
import { said } from "./invariants.ts";
import { changedSince, portrait } from "./portrait.ts";
import { type Outcome, Scene } from "./scene.ts";
import { expectNoViolations } from "./violation.ts";

/* A foreign disk survives every operation on its machine until the user names it: ADR 0041. */

const SMALL = { workers: 1, memory: "2GiB" };

let scene: Scene;
/** Two running machines, and the folder they were created from. */
let stands: { lab: string; files: VolatileFiles };
let files: VolatileFiles;

beforeAll(async () => {
  scene = await Scene.open("foreign disks");
  const made = scene.folder(SMALL);
  const outcome = await scene.up(made);
  expect(outcome.exitCode, said(outcome)).toBe(0);
  stands = { lab: scene.lab.snapshot(), files: made };
});
afterAll(() => scene.close());
beforeEach(() => {
  scene.lab.restore(stands.lab);
  files = stands.files.afterKill();
});

const errorsIn = ({ events }: Outcome) => events.flatMap((event) => (event.type === "error" ? [event.error] : []));

/** Runs up with a changed config, and permission to remove worker-1. */
function changed(wishes: ConfigWishes): Promise<Outcome> {
  scene.configure(files, { ...SMALL, ...wishes });
  return scene.up(files, { allowRemove: ["worker-1"] });
}

const isDisk = ([what]: [string, string], vmid: number) => what.includes(`vm-${vmid}-disk-1`);

test("a disk attached by another user prevents a machine's removal before anything is changed, until it is moved as the error suggests", async () => {
  const { vmid, node } = await attachDisk(scene, "worker-1");
  const before = await portrait(scene);
  const removals = [
    () => scene.down(files),
    () => changed({ workers: 0 }),
    // With UEFI the first machine is replaced.
    () => changed({ firstWorker: "firmware: ovmf" }),
  ];
  for (const remove of removals) {
    const outcome = await remove();
    expect(outcome.exitCode, said(outcome)).toBe(1);
    expect(errorsIn(outcome)).toMatchObject([
      {
        code: "FOREIGN_DISK",
        detail: `worker-1/scsi5: local-lvm:vm-${vmid}-disk-1, 1 GiB`,
        hint: `as root on ${node}, to keep it on a VM of its own:
  vm=$(pvesh get /cluster/nextid) && qm create $vm --name disks-of-worker-1
  qm shutdown ${vmid}
  qm disk move ${vmid} scsi5 --target-vmid $vm --target-disk scsi5
or, to delete it, add:  --destroy-disk worker-1/scsi5
Nothing was changed.`,
      },
    ]);
    expectNoViolations(changedSince(before, await portrait(scene)));
  }
  const on = `/nodes/${node}/qemu`;
  await scene.root.task("POST", on, { vmid: 900, name: "disks-of-worker-1" });
  await scene.root.task("POST", `${on}/${vmid}/status/shutdown`, { forceStop: 1 });
  await scene.root.task("POST", `${on}/${vmid}/move_disk`, { disk: "scsi5", "target-vmid": 900, "target-disk": "scsi5" });
  const gone = await changed({ workers: 0 });
  expect(gone.exitCode, said(gone)).toBe(0);
  expect([...(await portrait(scene)).keys()]).toContain(`volume local-lvm:vm-900-disk-0 on ${node}`);
});

test("a disk detached from a machine is still foreign, and an unknown disk name is refused", async () => {
  const { vmid, node } = await attachDisk(scene, "worker-1");
  await scene.root.task("POST", `/nodes/${node}/qemu/${vmid}/config`, { delete: "scsi5" });
  const before = [...(await portrait(scene))].filter((one) => isDisk(one, vmid));
  const [refused] = errorsIn(await scene.down(files));
  expect(refused?.hint).toContain(`qm disk move ${vmid} unused0 --target-vmid $vm --target-disk unused0\nor, to delete it`);
  expect(refused?.hint).not.toContain("qm shutdown");
  const [, unknown] = errorsIn(await scene.down(files, { destroyDisks: ["worker-1/scsi5"] }));
  expect(unknown).toMatchObject({
    code: "UNKNOWN_DISK",
    message: "There is no disk worker-1/scsi5 that this command would delete",
    detail: expect.stringContaining(`worker-1/unused0: local-lvm:vm-${vmid}-disk-1, 1 GiB`),
  });
  expectNoViolations(changedSince(new Map(before), await portrait(scene)));
  expect((await scene.down(files, { destroyDisks: ["worker-1/unused0"] })).exitCode).toBe(0);
  expect([...(await portrait(scene))].filter((one) => isDisk(one, vmid))).toEqual([]);
  // The same command again, as after an interruption, accepts what is already done.
  expect((await scene.down(files, { destroyDisks: ["worker-1/unused0"] })).exitCode).toBe(0);
});

test.each([
  ["between the plan and the removal", "confirm"],
  ["while the machine is switched off", "stop"],
] as const)("a disk that is attached %s survives", async (_, when) => {
  const vm = (await scene.root.vms()).find(({ config }) => config.name === "worker-1");
  const vmid = vm?.vmid ?? 0;
  const plugIn = () =>
    scene.lab.turn(() => {
      const state = scene.lab.state<ProxmoxState>("proxmox");
      const [disk] = state.volumes.filter(({ name }) => name === `vm-${vmid}-disk-0`);
      if (!disk || state.vms[vmid]?.config.scsi5 !== undefined) return;
      state.volumes.push({ ...disk, serial: 4711, name: `vm-${vmid}-disk-1` });
      Object.assign(state.vms[vmid]?.config ?? {}, { scsi5: `local-lvm:vm-${vmid}-disk-1,size=20G` });
    });
  const outcome = await scene.down(files, {
    confirm: async () => {
      if (when === "confirm") plugIn();
      return true;
    },
    onEvent: (event) => {
      if (when === "stop" && event.type === "mutation.intent" && event.what === "stop worker-1") plugIn();
    },
  });
  expect([outcome.exitCode, said(outcome)]).toEqual([1, expect.stringMatching(/WORLD_CHANGED: .*machine worker-1/)]);
  expect([...(await portrait(scene))].filter((one) => isDisk(one, vmid))).toHaveLength(1);
  expect(errorsIn(await scene.down(files))).toMatchObject([{ code: "FOREIGN_DISK" }]);
});

test("resources that Proxmox keeps when a machine is removed do not prevent its removal: a device of the host, a disk with another id", async () => {
  const vm = (await scene.root.vms()).find(({ config }) => config.name === "worker-1");
  const at = `/nodes/${vm?.node}`;
  await scene.root.call("POST", `${at}/storage/local-lvm/content`, { vmid: 900, filename: "vm-900-theirs", size: "1G" });
  const theirs = { scsi5: "local-lvm:vm-900-theirs", scsi6: "/dev/disk/by-id/ata-theirs" };
  await scene.root.task("POST", `${at}/qemu/${vm?.vmid}/config`, theirs);
  const outcome = await scene.down(files);
  expect(outcome.exitCode, said(outcome)).toBe(0);
  expect([...(await portrait(scene)).keys()]).toContain(`volume local-lvm:vm-900-theirs on ${vm?.node}`);
});
