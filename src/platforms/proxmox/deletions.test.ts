import { expect, test } from "vitest";
import { isMadeByUs } from "./deletions.ts";
import type { Mark } from "./mark.ts";
import type { OwnVolume } from "./own-volumes.ts";

const MARK: Mark = {
  environment: "lab-1",
  cluster: "lab",
  node: "worker-1",
  vm: 100,
  role: "worker",
  address: "10.0.0.21",
  disks: [],
};
const volume = (slot: string, value: Record<string, string> = {}, name = `vm-100-${slot}`): OwnVolume => ({
  ...{ slot, value, volume: `local-lvm:${name}` },
});

interface Situation {
  mark?: Partial<Mark>;
  config?: { serial: string; keep?: true }[];
  running?: true;
}

/** The slots of the volumes that talosmith did not create. */
function foreign(own: readonly OwnVolume[], { mark, config, running = undefined }: Situation = {}): string[] {
  const disks = config?.map(({ serial, keep = false }) => ({ serial, keep })) as never;
  const known = { own, mark: { ...MARK, ...mark }, config: config && { disks }, running: running ?? false };
  return own.filter((one) => !isMadeByUs(one, known)).map(({ slot }) => slot);
}

test("the system disk, firmware, TPM, cloud-init and saved memory count as talosmith's; a disk at any other slot does not", () => {
  const ours = ["scsi0", "efidisk0", "tpmstate0", "vmstate"].map((slot) => volume(slot));
  expect(foreign([...ours, volume("ide2", { media: "cdrom" }, "vm-100-cloudinit")])).toEqual([]);
  expect(foreign([...ours, volume("scsi5"), volume("virtio0"), volume("unused0")])).toEqual(["scsi5", "virtio0", "unused0"]);
});

test("a data disk counts as talosmith's by its serial in the mark, even when the config no longer has it", () => {
  const own = [volume("scsi0"), volume("scsi1", { serial: "models" }), volume("scsi2", { serial: "theirs" })];
  expect(foreign(own, { mark: { disks: ["models"] } })).toEqual(["scsi2"]);
  // In the config under that serial, but it existed before the config named it.
  expect(foreign(own, { mark: { disks: ["models"] }, config: [{ serial: "theirs" }] })).toEqual(["scsi2"]);
});

test("a mark of a version that did not list disks goes by the config; damaged by hand, as well", () => {
  const own = [volume("scsi1", { serial: "models" })];
  for (const disks of [undefined, "models, theirs"]) {
    const mark = { disks } as unknown as Partial<Mark>;
    expect(foreign(own, { mark, config: [{ serial: "models" }] })).toEqual([]);
    expect(foreign(own, { mark })).toEqual(["scsi1"]);
  }
});

test("two disks with the same serial both count as foreign", () => {
  const own = [volume("scsi1", { serial: "models" }), volume("scsi7", { serial: "models" })];
  expect(foreign(own, { mark: { disks: ["models"] } })).toEqual(["scsi1", "scsi7"]);
});

test("a disk with keep in the config is not deleted without consent, even if it was created as the machine's own", () => {
  const own = [volume("scsi1", { serial: "models" })];
  expect(foreign(own, { mark: { disks: ["models"] }, config: [{ serial: "models", keep: true }] })).toEqual(["scsi1"]);
});

test("a clone interrupted while its disk moves from SCSI to virtio has no foreign disk", () => {
  const virtio = { mark: { bus: "virtio" as const } };
  expect(foreign([volume("virtio0")], virtio)).toEqual([]);
  expect(foreign([volume("scsi0")], virtio)).toEqual([]);
  expect(foreign([volume("unused0")], virtio)).toEqual([]);
  expect(foreign([volume("unused0"), volume("unused1")], virtio)).toEqual(["unused0", "unused1"]);
  expect(foreign([volume("virtio0"), volume("unused0"), volume("scsi0")], virtio)).toEqual(["unused0", "scsi0"]);
  expect(foreign([volume("unused0")], { ...virtio, running: true })).toEqual(["unused0"]);
  expect(foreign([volume("unused0")])).toEqual(["unused0"]);
});
