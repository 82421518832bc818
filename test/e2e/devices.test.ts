import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memberOf, textOf } from "../../src/talos/api/spec.ts";
import { talosmith } from "../support/child.ts";
import { type Insider, insider } from "../support/cluster.ts";
import { Root } from "../support/root.ts";

// A worker with a graphics card and a kept disk, on unprepared Proxmox VE 8.4 hosts. The tests build on each other.

const { signal } = new AbortController();
let folder: string;
let root: Root;
let person: Insider;

beforeAll(async () => {
  folder = join(mkdtempSync(join(tmpdir(), "talosmith-devices-")), "lab");
  const started = await talosmith(["lab", "start", folder, "--gpu", "pve2", "--proxmox", "8.4", "--speed", "100", "--idle", "5"]);
  expect(started, started.stderr).toMatchObject({ exitCode: 0 });
  root = await Root.login(file(".lab/url"), "proxmox-lab");
  write(
    file("config.yaml")
      .replace(
        /token: .*/,
        `token: "\${file:proxmox-token}"\n  ssh: { port: 2222, key: .lab/ssh-key, hostKey: "\${file:.lab/ssh-host-key}" }`,
      )
      .replace("cni: cilium", "cni: flannel")
      .replace("count: 2, ip", "count: 1, ip")
      .replace(/addons:[\s\S]*$/, `  - { name: gpu-1, role: worker, ip: ${address(31)}, host: pve2, ${CARD}, ${DISK} }\n`),
  );
});
afterAll(async () => {
  person?.close();
  await talosmith(["lab", "stop", folder]);
  rmSync(join(folder, ".."), { recursive: true });
});

const CARD = "pci: [{ mapping: gpu0, gpu: nvidia }]";
const DISK = "disks: [{ size: 50GiB, volume: models, keep: true }]";
const file = (name: string) => readFileSync(join(folder, name), "utf8").trim();
const address = (last: number) => `${file(".lab/block")}.${last}`;
const write = (config: string) => writeFileSync(join(folder, "config.yaml"), `${config.trimEnd()}\n`);
const plan = () => talosmith(["plan", folder]);

async function gpuMachine() {
  const vm = (await root.vms()).find((one) => one.config.name === "gpu-1");
  if (!vm) throw new Error("there is no gpu-1");
  return vm;
}

async function resources(node: string, namespace: string, type: string) {
  const answering = await person.talos.ask(node, (api) => api.resources({ namespace, type }, signal), signal);
  if (answering.is !== "ours") throw new Error(`${node} does not answer: ${JSON.stringify(answering)}`);
  return answering.answer;
}

test("a device by its address is refused for a token before anything is created, and the error names the mapping to use", async () => {
  const [wanted, token] = [file("config.yaml"), file(".lab/token")];
  write(
    wanted
      .replace("{ mapping: gpu0, gpu: nvidia }", '{ address: "0000:41:00", gpu: nvidia }')
      .replace("file:proxmox-token", "file:.lab/token"),
  );
  const doctor = await talosmith(["doctor", folder]);
  expect(doctor.exitCode).toBe(1);
  expect(doctor.stdout).toContain(
    "the PCI device 0000:41:00 for gpu-1 by its address: Proxmox allows this only to root@pam with its password",
  );
  expect(doctor.stdout).toMatch(/pvesh create \/cluster\/mapping\/pci --id gpu-1-pci --map .*node=pve2,path=0000:41:00/);
  expect(doctor.stdout).not.toContain(token.split("=")[1]);
  const up = await talosmith(["up", folder, "--yes"]);
  expect([up.exitCode, await root.vms()]).toEqual([1, []]);
  write(wanted);
});

describe("doctor, plan and up report the same problems in the same words, with their lines, and nothing is created", () => {
  /** Lines of the problems, from each command; without indentation. */
  async function reported(config: string): Promise<{ doctor: string[]; plan: string[]; up: string[] }> {
    const wanted = file("config.yaml");
    write(config.replace("file:proxmox-token", "file:.lab/token"));
    const [doctor, planned, up] = [
      await talosmith(["doctor", folder]),
      await plan(),
      await talosmith(["up", folder, "--yes"]),
    ] as const;
    write(wanted);
    expect([doctor.exitCode, planned.exitCode, up.exitCode], doctor.stdout + planned.stderr + up.stderr).toEqual([1, 1, 1]);
    expect([await root.vms(), await imported()]).toEqual([[], []]);
    expect(planned.stdout).toMatch(/[+] machine gpu-1 .*[\s\S]* problems must be solved first:/);
    const lines = (text: string) => text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
    return { doctor: lines(doctor.stdout), plan: lines(planned.stderr), up: lines(up.stderr) };
  }

  const imported = async () => {
    const all = (await root.call("GET", "/nodes/pve1/storage/local/content")) as { content: string }[];
    return all.filter(({ content }) => content === "import");
  };
  /** From one line on, that many lines; with the text of a line of the config instead of its number. */
  const block = (config: string, lines: readonly string[], start: string, count: number) => {
    const at = lines.findIndex((line) => line.startsWith(start));
    const textOf = (line: number) => config.split("\n")[line - 1]?.trim().slice(0, 24);
    return lines.slice(at, at + count).map((line) =>
      line
        .replace(/^.*config.yaml:(\d+):\d+$/, (_, number) => `at: ${textOf(Number(number))}`)
        .replace(/^\d+ │/, "│")
        .replaceAll(file(".lab/block"), "10.10.0"),
    );
  };

  test("a missing mapping, too much memory, and an extension that the factory does not have", async () => {
    const config = file("config.yaml")
      .replace("method: import", "method: import\n  extensions:\n    - siderolabs/zfs\n    - siderolabs/iscsi-toolz")
      .replace(CARD, `${CARD}, memory: 4000GiB`);
    const { doctor, plan: planned, up } = await reported(config);
    expect(planned.filter((line) => !doctor.includes(line))).toEqual([]);
    expect(up).toEqual(planned);
    expect(block(config, planned, "✗ the image factory", 6)).toMatchInlineSnapshot(`
      [
        "✗ the image factory has no extension siderolabs/iscsi-toolz for Talos v1.13.9, which cp-1, worker-1, gpu-1 would get",
        "at: - siderolabs/iscsi-toolz",
        "│     - siderolabs/zfs",
        "│     - siderolabs/iscsi-toolz",
        "│       ^^^^^^^^^^^^^^^^^^^^^^",
        "hint: did you mean siderolabs/iscsi-tools? Correct the extensions in the config, or choose another cluster.talos",
      ]
    `);
    expect(block(config, planned, "✗ gpu-1 has", 2)).toMatchInlineSnapshot(`
      [
        "✗ gpu-1 has 4000 GiB of memory in the config, but its host pve2 has 48 GiB",
        "at: - { name: gpu-1, role: w",
      ]
    `);
    expect(block(config, planned, "✗ there is no PCI mapping", 2)).toMatchInlineSnapshot(`
      [
        "✗ there is no PCI mapping gpu0 for gpu-1, or this login may not use it",
        "at: - { name: gpu-1, role: w",
      ]
    `);
    expect(planned.at(-1)).toMatch(/^pvesh create \/cluster\/mapping\/pci --id gpu0 --map node=pve2,path=0000:41:00/);
  });

  test("a release that the factory does not have", async () => {
    const config = file("config.yaml").replace(/talos: v[\d.]+/, "talos: v1.13.99");
    const { doctor, plan: planned, up } = await reported(config);
    expect(planned.filter((line) => !doctor.includes(line))).toEqual([]);
    expect(up).toEqual(planned);
    expect(block(config, planned, "✗ the image factory", 6)).toMatchInlineSnapshot(`
      [
        "✗ the image factory has no Talos v1.13.99",
        "at: talos: v1.13.99",
        "│   endpoint: 10.10.0.5",
        "│   talos: v1.13.99",
        "│          ^^^^^^^^",
        "hint: did you mean v1.13.9? It is the newest v1.13 there",
      ]
    `);
  });
});

test("host prepare offers only devices that the host has", async () => {
  const { exitCode, stderr } = await talosmith(["host", "prepare", folder, "--yes", "--pci", "gpu0=pve2:0000:99:00"]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("pve2 has no PCI device 0000:99:00")]);
  expect(stderr).toContain("choose one:\n");
  expect(stderr.match(/--pci gpu0=pve2:0000:(?!99)\S+/g)).toEqual(["--pci gpu0=pve2:0000:41:00"]);
  expect(stderr).toContain("Nothing was changed.");
});

test("host prepare makes the changes that need root, and none in a second run; then doctor reports no problem", async () => {
  const prepared = await talosmith(["host", "prepare", folder, "--yes"]);
  expect(prepared, prepared.stdout + prepared.stderr).toMatchObject({ exitCode: 0 });
  expect((await talosmith(["host", "prepare", folder, "--plan"])).exitCode).toBe(0);
  const doctor = await talosmith(["doctor", folder]);
  expect(doctor, doctor.stdout).toMatchObject({ exitCode: 0 });
});

test("the worker comes up with the card, and only its image contains NVIDIA's drivers", async () => {
  const up = await talosmith(["up", folder, "--yes"]);
  expect(up, up.stdout + up.stderr).toMatchObject({ exitCode: 0 });
  person = insider(folder, address(11));
  const { config } = await gpuMachine();
  expect(config.hostpci0).toContain("mapping=gpu0");
  expect([config.machine, config.bios]).toEqual(["q35", "ovmf"]);
  const extensions = async (last: number) =>
    (await resources(address(last), "runtime", "ExtensionStatuses.runtime.talos.dev")).map((one) =>
      textOf(memberOf(one.spec, "metadata"), "name"),
    );
  expect(await extensions(31)).toEqual(
    expect.arrayContaining(["nvidia-open-gpu-kernel-modules-production", "nvidia-container-toolkit-production"]),
  );
  expect((await extensions(21)).filter((name) => name?.includes("nvidia"))).toEqual([]);
  const cards = await resources(address(31), "hardware", "PCIDevices.hardware.talos.dev");
  expect(cards.map((one) => textOf(one.spec, "vendor"))).toContain("NVIDIA Corporation");
  const volumes = await resources(address(31), "runtime", "VolumeStatuses.block.talos.dev");
  const models = volumes.find((one) => one.id === "u-models");
  expect([textOf(models?.spec, "phase"), textOf(models?.spec, "parentLocation")]).toEqual(["ready", "/dev/sdb"]);
  expect((await plan()).exitCode).toBe(0);
});

test("a replaced machine keeps its disk, and down leaves the disk and reports it", async () => {
  const disk = (config: Record<string, string>) => /[^,]*models[^,]*/.exec(config.scsi1 ?? "")?.[0];
  const before = await gpuMachine();
  expect(disk(before.config)).toBeDefined();
  write(file("config.yaml").replace(address(31), address(32)));
  const replaced = await talosmith(["up", folder, "--yes", "--allow-remove", "gpu-1"]);
  expect(replaced, replaced.stdout + replaced.stderr).toMatchObject({ exitCode: 0 });
  const after = await gpuMachine();
  expect(after.config.smbios1).not.toBe(before.config.smbios1);
  expect(disk(after.config)).toBe(disk(before.config));
  expect((await plan()).exitCode).toBe(0);
  const down = await talosmith(["down", folder, "--yes"]);
  expect([down.exitCode, down.stdout]).toEqual([0, expect.stringContaining(String(disk(before.config)))]);
  const left = JSON.stringify(await root.call("GET", "/nodes/pve2/storage/local-lvm/content"));
  expect(left).toContain(String(disk(before.config)));
});
