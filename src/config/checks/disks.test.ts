import { expect, test } from "vitest";
import { changed, failure, load, loadMetal, METAL } from "../testing/config-in-memory.ts";
import { type Case, toldAlone } from "../testing/told-alone.ts";

/** On the worker of the good config for metal; its entry begins at 13:5. */
const onWorker = (text: string) => ({ "count: 2,": `count: 2, ${text},` });
const volume = (text: string) => onWorker(`volumes: [{ name: data, disk: /dev/sdb, ${text} }]`);

const cases: Case[] = [
  [
    "a volume without a size",
    volume("grow: true"),
    "13:55",
    "nodes[1].volumes[0] has no size",
    "add size, minSize or maxSize, such as size: 100GiB",
  ],
  [
    "a volume with too many sizes",
    volume("size: 1GiB, minSize: 1GiB, grow: true"),
    "13:85",
    "nodes[1].volumes[0] has both size and minSize and grow",
    "keep size for an exact size, or minSize and maxSize for a range",
  ],
  [
    "a volume whose sizes are the wrong way round",
    volume("minSize: 2GiB, maxSize: 1GiB"),
    "13:109",
    "nodes[1].volumes[0].maxSize is less than minSize",
    "use at least 2GiB",
  ],
  [
    "a size without a unit",
    volume("size: 100"),
    "13:91",
    "nodes[1].volumes[0].size has no unit",
    "write a number and a unit, such as 100GiB",
  ],
  [
    "a raw volume with a file system",
    volume("kind: raw, size: 1GiB, filesystem: xfs"),
    "13:108",
    "nodes[1].volumes[0].filesystem is set, but a raw volume has no file system",
    "remove it, or set kind: user",
  ],
  [
    "an unknown kind of volume",
    volume("kind: usr, size: 1GiB"),
    "13:91",
    "nodes[1].volumes[0].kind must be user, raw or swap",
    "did you mean user?",
  ],
  [
    "a name Talos uses",
    onWorker("volumes: [{ name: Ephemeral, disk: /dev/sdb, size: 1GiB }]"),
    "13:63",
    "nodes[1].volumes[0].name is a name that Talos uses itself",
    "choose another; ephemeral sets the size of EPHEMERAL, encryption how STATE and EPHEMERAL are encrypted",
  ],
  [
    "a name with an underscore",
    onWorker("volumes: [{ name: my_data, disk: /dev/sdb, size: 1GiB }]"),
    "13:63",
    "nodes[1].volumes[0].name is not a valid volume name",
    "use at most 34 letters, digits and hyphens, such as data",
  ],
  [
    "a name used twice",
    onWorker("volumes: [{ name: a, disk: /dev/sdb, size: 1GiB }, { name: a, disk: /dev/sdc, size: 1GiB }]"),
    "13:104",
    "nodes[1].volumes[1].name is the name of another volume",
    "give one of the two another name",
  ],
  [
    "a volume without room",
    onWorker("volumes: [{ name: data, size: 1GiB }]"),
    "13:55",
    "nodes[1].volumes[0] is on the system disk, where ephemeral takes all remaining space",
    "limit ephemeral on the node or in the defaults:\nephemeral: { maxSize: 60GiB }\nor choose another disk for the volume",
  ],
  [
    "a disk that is no path",
    onWorker("volumes: [{ name: data, disk: sdb, size: 1GiB }]"),
    "13:75",
    "nodes[1].volumes[0].disk is not a disk path",
    "write the path on the machine, such as /dev/nvme0n1 or /dev/disk/by-id/…",
  ],
  [
    "a disk that is described by nothing",
    onWorker("installDisk: {}"),
    "13:58",
    "nodes[1].installDisk does not describe a disk",
    'name at least one property, such as { size: ">= 100GB", type: nvme }',
  ],
  [
    "a disk described in unknown words",
    onWorker("installDisk: { sise: 1TB }"),
    "13:60",
    "nodes[1].installDisk.sise is not a known key",
    "did you mean size?",
  ],
  [
    "an unknown type of disk",
    onWorker("installDisk: { type: nvm }"),
    "13:66",
    "nodes[1].installDisk.type must be ssd, hdd, nvme or sd",
    "did you mean nvme?",
  ],
  [
    "a size that compares with nothing",
    onWorker('installDisk: { size: "at least 1TB" }'),
    "13:66",
    "nodes[1].installDisk.size is not a size comparison",
    'write one such as ">= 100GB" or "== 1TB"',
  ],
  [
    "a fact that would end the expression it is put into",
    onWorker(`installDisk: { serial: 'a" || true' }`),
    "13:68",
    "nodes[1].installDisk.serial is empty or contains a quote, a backslash or a control character",
    "write it as talosctl get disks shows it, such as S5GXNX0T123456",
  ],
  [
    "a disk that is a number",
    onWorker("installDisk: 7"),
    "13:58",
    "nodes[1].installDisk is not valid",
    'write the path of a disk, such as /dev/nvme0n1, or its properties: { size: ">= 100GB", type: nvme }',
  ],
  [
    "sizes of EPHEMERAL the wrong way round",
    onWorker("ephemeral: { minSize: 20GiB, maxSize: 10GiB }"),
    "13:83",
    "nodes[1].ephemeral.maxSize is less than minSize",
    "use at least 20GiB",
  ],
  [
    "an ephemeral that is empty",
    onWorker("ephemeral: {}"),
    "13:56",
    "nodes[1].ephemeral is empty",
    "add maxSize or disk, or remove it",
  ],
  [
    "an unknown encryption",
    onWorker("encryption: { state: nodeid }"),
    "13:66",
    "nodes[1].encryption.state is not valid",
    "did you mean nodeID?",
  ],
  [
    "an encryption with nothing",
    onWorker("encryption: { state: {} }"),
    "13:66",
    "nodes[1].encryption.state must have either passphrase or kms",
    "keep exactly one of the two",
  ],
  [
    "an encryption with two keys",
    onWorker(`encryption: { ephemeral: { passphrase: "\${env:P}", kms: "https://kms:4050" } }`),
    "13:70",
    "nodes[1].encryption.ephemeral must have either passphrase or kms",
    "keep exactly one of the two",
  ],
];

toldAlone(cases, METAL, { env: { P: "long enough" } });

test("a limit to EPHEMERAL, on the node or in the defaults, leaves room", () => {
  const limited = { "nodes:": "defaults: { all: { ephemeral: { maxSize: 60GiB } } }\nnodes:" };
  const { config } = loadMetal(changed({ ...onWorker("volumes: [{ name: data, size: 1GiB }]"), ...limited }, METAL));
  expect(config.nodes[1]?.volumes).toEqual([
    { name: "data", kind: "user", minSize: 1024 ** 3, maxSize: 1024 ** 3, grow: false, filesystem: "xfs" },
  ]);
});

test("warns about weak encryption", () => {
  const warned = (text: string) =>
    loadMetal(changed(onWorker(text), METAL), { env: { P: "long enough" } }).warnings.map(({ message }) => message);
  expect(warned("encryption: { ephemeral: tpm }")).toEqual([
    "nodes[1].encryption.ephemeral is tpm, but without Secure Boot anyone who has the machine can read the disk",
  ]);
  expect(warned(`encryption: { state: { passphrase: "\${env:P}" } }`)).toEqual([
    "nodes[1].encryption.state is a passphrase, which Talos stores unencrypted on the same disk",
  ]);
  expect(warned("encryption: { ephemeral: { passphrase: 0123456789a } }")).toEqual([
    "nodes[1].encryption.ephemeral.passphrase is stored in plain text in this file",
  ]);
});

test("no message contains a passphrase", () => {
  const config = changed(onWorker("encryption: { ephemeral: { passphrase: hunter2 } }"), METAL);
  const error = failure(config);
  expect(error.problems.map(({ message }) => message)).toEqual([
    "nodes[1].encryption.ephemeral.passphrase is shorter than 8 characters",
  ]);
  expect(JSON.stringify(error.report())).not.toContain("hunter2");
});

test("on Proxmox, encryption by tpm needs tpm: true, and volumes are accepted", () => {
  const config = (text: string) => changed({ "count: 2,": `count: 2, ${text},` });
  const [problem] = failure(config("encryption: { ephemeral: tpm }")).problems;
  expect([problem?.code, problem?.message]).toEqual([
    "CONFIG_CONFLICT",
    "nodes[1].encryption.ephemeral is tpm, but the machine has no TPM",
  ]);
  expect(load(config("encryption: { ephemeral: tpm }, tpm: true")).config.nodes[1]?.encryption).toEqual({
    ephemeral: { by: "tpm" },
  });
  const limited = config("ephemeral: { maxSize: 10GiB }, volumes: [{ name: data, size: 1GiB }]");
  expect(load(limited).config.nodes[1]?.volumes).toHaveLength(1);
});
