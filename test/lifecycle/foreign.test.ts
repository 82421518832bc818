import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { macFor, vmidsFor } from "../../src/platforms/proxmox/identity.ts";
import { type Mark, printMark, readMark } from "../../src/platforms/proxmox/mark.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { attachDisk, foreignDisks } from "./foreign-disks.ts";
import { type Foreign, foreignFile, foreignVm, foreignVolume, type Ours, plant } from "./foreign-objects.ts";
import { said } from "./invariants.ts";
import { changedSince, portrait } from "./portrait.ts";
import { FOLDER, type Outcome, Scene } from "./scene.ts";
import { expectNoViolations } from "./violation.ts";

/* No command changes foreign objects, however similar they are to our machines. */

const RUNS = process.env.FULL ? 60 : 4;

let scene: Scene;
let ours: Ours;
let secrets: Uint8Array;
let image: { url: string };
/** A lab with images and a template, but no machines. */
let fresh: string;

beforeAll(async () => {
  scene = await Scene.open("foreign", { timeScale: 60 });
  // Proxmox would refuse any pruning without this privilege.
  await scene.root.call("PUT", "/access/roles/TalosmithDeploy", { privs: "Datastore.Allocate", append: 1 });
  // With the lab's default hosts, a few dozen foreign machines would use up the memory.
  const files = scene.folder({ ...SMALL, method: "template" });
  const made = await scene.up(files);
  expect(made.exitCode, said(made)).toBe(0);
  const vms = await scene.root.vms();
  const mark = vms.map((vm) => readMark(vm.config.description)).find((one) => one !== undefined);
  const [stored] = (await scene.root.call("GET", "/nodes/pve1/storage/local/content", { content: "import" })) as {
    volid: string;
  }[];
  ours = {
    environment: mark?.environment ?? "",
    cluster: mark?.cluster ?? "",
    nodes: ["cp-1", "worker-1"],
    image: stored?.volid.replace(/^local:import\/|\.qcow2$/g, "") ?? "",
    address: `${scene.at.block}.21`,
  };
  const schematic = await fetch(`${scene.at.factory}/schematics`, { method: "POST", body: "customization: {}\n" });
  const { id } = (await schematic.json()) as { id: string };
  image = { url: `${scene.at.factory}/image/${id}/v1.13.9/nocloud-amd64.qcow2` };
  secrets = files.read(`${FOLDER}/secrets.yaml`) as Uint8Array;
  const gone = await scene.down(files);
  expect(gone.exitCode, said(gone)).toBe(0);
  fresh = scene.lab.snapshot();
});
afterAll(() => scene.close());

const SMALL = { workers: 1, memory: "2GiB" };

function folder(method: "import" | "template"): VolatileFiles {
  const files = scene.folder({ ...SMALL, method });
  files.write(`${FOLDER}/secrets.yaml`, secrets, 0o600);
  return files;
}

const COMMANDS = ["up", "plan", "change", "fewer", "down", "prune"] as const;
type Command = (typeof COMMANDS)[number];

async function run(command: Command, files: VolatileFiles, method: "import" | "template"): Promise<Outcome> {
  const configure = (wishes: object) => scene.configure(files, { ...SMALL, method, ...wishes });
  switch (command) {
    case "plan":
      return scene.plan(files);
    case "down":
      return scene.down(files);
    case "prune":
      return scene.prune(files);
    case "fewer":
      configure({ workers: 0 });
      return scene.up(files, { allowRemove: ["worker-1"] });
    case "change":
      configure({ memory: "3GiB", all: "tags: [homelab], onboot: false" });
      return scene.up(files, { allowRemove: [] });
    case "up":
      configure({});
      return scene.up(files);
  }
}

const isUp = (command: Command) => command === "up" || command === "change" || command === "fewer";

test("no sequence of commands changes a foreign object", async () => {
  const around: fc.Arbitrary<Foreign> = fc.oneof(
    { weight: 5, arbitrary: foreignVm(ours) },
    { weight: 2, arbitrary: foreignVolume(ours) },
    { weight: 1, arbitrary: foreignFile(ours) },
  );
  const sequences = fc.record({
    foreign: fc.array(around, { minLength: 3, maxLength: 8 }),
    method: fc.constantFrom("import" as const, "template" as const),
    commands: fc.array(fc.constantFrom(...COMMANDS), { minLength: 3, maxLength: 5 }),
    disk: fc.boolean(),
  });
  let [objects, commandsRun, stopped] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(sequences, async ({ foreign, method, commands, disk }) => {
      scene.lab.restore(fresh);
      const own = await portrait(scene);
      await plant(scene, foreign, image);
      let before = new Map([...(await portrait(scene))].filter(([what]) => !own.has(what)));
      objects += before.size;
      const files = folder(method);
      const collides = foreign.some((one) => one.kind === "vm" && one.mac !== undefined);
      // A foreign disk is attached to worker-1.
      let holds = false;
      for (const command of ["up", ...commands] as Command[]) {
        const outcome = await run(command, files, method);
        commandsRun++;
        const touched = changedSince(before, await portrait(scene));
        if (touched.length > 0) throw new Error(`${command} touched what is not ours: ${touched.join("\n")}`);
        if (holds && (command === "fewer" || command === "down")) expect(said(outcome), command).toContain("FOREIGN_DISK");
        else if (outcome.exitCode !== 0 && collides && isUp(command)) {
          stopped++;
          expect(said(outcome), command).toContain("MAC_IN_USE");
        } else if (command !== "plan") expect(outcome.exitCode, `${command}: ${said(outcome)}`).toBe(0);
        if (disk && !holds && command === "up" && outcome.exitCode === 0) {
          await attachDisk(scene, "worker-1");
          holds = true;
          const volumes = (await foreignDisks(scene)).map(({ volume, host }) => `volume ${volume} on ${host}`);
          before = new Map([...before, ...[...(await portrait(scene))].filter(([what]) => volumes.includes(what))]);
        }
      }
    }),
    { numRuns: RUNS, seed: 5, endOnFailure: true },
  );
  console.log(
    `lifecycle: strangers: ${objects} objects of others, ${commandsRun} commands beside them, ${stopped} stopped by a MAC`,
  );
});

const at = (vmid: number, more: Record<string, string | number> = {}) =>
  scene.root.task("POST", "/nodes/pve2/qemu", { vmid, name: "theirs", memory: 512, net0: "virtio,bridge=vmbr0", ...more });

/** Notes of a foreign VM, by description. */
const NOTES: Readonly<Record<string, (mark: Mark) => string | undefined>> = {
  "no notes": () => undefined,
  "the mark of another environment": (mark) => printMark({ ...mark, environment: "other-12345678" }),
  "the mark of another cluster": (mark) => printMark({ ...mark, cluster: "other" }),
  "our mark, of another VM": (mark) => printMark({ ...mark, vm: 301 }),
};

test.each(Object.keys(NOTES))(
  "a foreign VM with one of our MAC addresses and %s stops the run before anything is created",
  async (notes) => {
    scene.lab.restore(fresh);
    const mac = macFor(ours.environment, "worker-1");
    const { environment, cluster, address } = ours;
    const description = NOTES[notes]?.({ environment, cluster, node: "worker-1", vm: 300, role: "worker", address });
    await at(300, { net0: `virtio=${mac},bridge=vmbr0`, ...(description !== undefined && { description }) });
    const before = await portrait(scene);
    const outcome = await scene.up(folder("import"));
    expect([outcome.exitCode, said(outcome)]).toEqual([
      1,
      expect.stringContaining(`MAC_IN_USE: VM 300 on pve2 has the MAC ${mac}`),
    ]);
    expectNoViolations(changedSince(before, await portrait(scene)));
    expect((await scene.root.vms()).map((vm) => vm.config.name)).not.toContain("worker-1");
  },
);

test("nothing is created while the network cards of a foreign VM are unreadable, because it may have one of our MAC addresses", async () => {
  scene.lab.restore(fresh);
  await at(300, { net0: `virtio=${macFor(ours.environment, "worker-1")},bridge=vmbr0` });
  const before = await portrait(scene);
  const fault = { kind: "refuse", status: 500, message: "malformed JSON string, neither tag, array, object" } as const;
  scene.lab.setFaults([{ service: "proxmox", site: "GET /nodes/:node/qemu/:vmid/*", resource: "vm 300", fault }]);
  const outcome = await scene.up(folder("import"));
  scene.lab.setFaults([]);
  expect([outcome.exitCode, said(outcome)]).toEqual([1, expect.stringContaining(fault.message)]);
  expectNoViolations(changedSince(before, await portrait(scene)));
});

test("an id taken by a foreign VM is skipped", async () => {
  scene.lab.restore(fresh);
  const [first, second] = vmidsFor(ours.environment, "worker-1");
  await at(first as number, { description: "mine" });
  expect((await scene.up(folder("import"))).exitCode).toBe(0);
  const machine = (await scene.root.vms()).find((vm) => vm.config.name === "worker-1");
  expect(machine?.vmid).toBe(second);
});

test("a volume that another user created under a machine's id stays when the machine is removed", async () => {
  scene.lab.restore(fresh);
  const files = folder("import");
  expect((await scene.up(files)).exitCode).toBe(0);
  const machine = (await scene.root.vms()).find((vm) => vm.config.name === "worker-1");
  const volume = { vmid: machine?.vmid ?? 0, filename: `vm-${machine?.vmid}-disk-7`, size: "1G" };
  await scene.root.call("POST", `/nodes/${machine?.node}/storage/local-lvm/content`, volume);
  const before = [...(await portrait(scene))].filter(([what]) => what.includes("-disk-7"));
  expect((await scene.down(files)).exitCode).toBe(0);
  expectNoViolations(changedSince(new Map(before), await portrait(scene)));
});

test("a foreign VM with an id given in the config is reported at its line", async () => {
  scene.lab.restore(fresh);
  await at(500);
  const files = folder("import");
  scene.configure(files, { ...SMALL, firstWorker: "vmid: 500" });
  const outcome = await scene.up(files);
  expect([outcome.exitCode, said(outcome)]).toEqual([1, expect.stringContaining("VMID_TAKEN")]);
});

test("an id taken by a foreign VM is skipped for a template", async () => {
  scene.lab.restore(fresh);
  const template = (await scene.root.vms()).find((vm) => vm.config.template !== undefined);
  await scene.root.task("DELETE", `/nodes/${template?.node}/qemu/${template?.vmid}`);
  await scene.root.task("POST", `/nodes/${template?.node}/qemu`, { vmid: template?.vmid ?? 0, name: "theirs", memory: 512 });
  const before = await portrait(scene);
  const outcome = await scene.up(folder("template"));
  expect(outcome.exitCode, said(outcome)).toBe(0);
  expectNoViolations(changedSince(before, await portrait(scene)));
});
