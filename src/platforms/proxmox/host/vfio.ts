import { type Step, step } from "../../../engine/step.ts";
import type { Root, Shell } from "./root.ts";
import type { PciDevice } from "./survey.ts";
import { finishHostFile, type HostFile, readHostFile, writeHostFile } from "./write-file.ts";

const MODULES = ["vfio", "vfio_iommu_type1", "vfio_pci"];
const MODULE_FILE = "/etc/modules-load.d/talosmith-vfio.conf";
const BINDING_FILE = "/etc/modprobe.d/talosmith-vfio.conf";
const AFTER = "update-initramfs -u -k all";
/** Drivers that bind graphics cards at boot and do not release them. */
const DRIVERS = ["nouveau", "nvidia", "nvidiafb", "amdgpu", "radeon", "i915", "snd_hda_intel"];

/** The devices of a host that vfio-pci may bind by their ids: those without an identical device that the host itself needs. */
export function bindable(given: readonly PciDevice[], all: readonly PciDevice[]): string[] {
  const ids = given.filter((device) => !all.some((other) => idOf(other) === idOf(device) && !given.includes(other))).map(idOf);
  return [...new Set(ids)].sort();
}

const idOf = ({ vendor, device }: PciDevice) => `${vendor}:${device}`;

/** The settings of all module files together. */
export function vfioSettings(text: string): { modules: string[]; ids: string[] } {
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim());
  const modules = lines.filter((line) => /^[\w-]+$/.test(line)).map((line) => line.replaceAll("-", "_"));
  const ids = lines.flatMap((line) => /^options\s+vfio[-_]pci\s.*?\bids=(\S+)/.exec(line)?.[1]?.toLowerCase().split(",") ?? []);
  return { modules, ids };
}

export function bindingText(ids: readonly string[]): string {
  return [
    "# talosmith: devices that are given to machines; without this file the host's own drivers take them at boot",
    `options vfio-pci ids=${[...ids].sort().join(",")}`,
    ...DRIVERS.map((driver) => `softdep ${driver} pre: vfio-pci`),
    "",
  ].join("\n");
}

const moduleText = `# talosmith: for devices that are given to machines\n${MODULES.join("\n")}\n`;

interface Seen {
  modules: string[];
  ids: string[];
  moduleFile: HostFile;
  bindingFile: HostFile;
}

/** Loads the modules for passthrough, and binds the devices to vfio-pci instead of the host's drivers, from the next boot on. */
export function vfio(root: Root, host: string, ids: readonly string[]): Step<Seen, void> {
  const id = `host/${host}/vfio`;
  const subject = `${host}: VFIO`;
  const shell = root.on(host);
  const lacks = ({ modules, ids: held, moduleFile, bindingFile }: Seen) => ({
    modules: MODULES.some((name) => !modules.includes(name)) || moduleFile.pending,
    ids: ids.some((one) => !held.includes(one)) || bindingFile.pending,
  });
  return step<Seen, void>({
    id,
    stage: "preflight",
    title: subject,
    observe: async () => ({ is: "present", actual: await look(shell), owner: "shared" }),
    plan: (seen) => {
      if ("later" in seen || seen.is !== "present") return [];
      const missing = lacks(seen.actual);
      if (!missing.modules && !missing.ids) return [];
      const fields = [
        ...(missing.modules ? [{ path: MODULE_FILE, from: null, to: MODULES.join(" ") }] : []),
        ...(missing.ids
          ? [{ path: BINDING_FILE, from: null, to: `options vfio-pci ids=${wantedIds(seen.actual, ids).join(",")}` }]
          : []),
        { path: "runs", from: null, to: AFTER },
      ];
      return [{ id, step: id, verb: "update", subject, fields }];
    },
    apply: async (_, c) => {
      const seen = await look(shell);
      const missing = lacks(seen);
      await c.mutate({ key: `${host} vfio`, what: `prepare ${host} for device passthrough` }, async () => {
        if (missing.modules) await put(shell, MODULE_FILE, seen.moduleFile, moduleText);
        if (missing.ids) await put(shell, BINDING_FILE, seen.bindingFile, bindingText(wantedIds(seen, ids)));
        return undefined;
      });
    },
    output: () => {},
  });
}

/** The wanted ids; those of other environments in the same file are kept. */
function wantedIds({ bindingFile }: Seen, ids: readonly string[]): string[] {
  return [...new Set([...vfioSettings(bindingFile.text ?? "").ids, ...ids])].sort();
}

function put(shell: Shell, path: string, { text }: HostFile, wanted: string): Promise<void> {
  return text === wanted ? finishHostFile(shell, path, AFTER) : writeHostFile(shell, path, wanted, AFTER);
}

async function look(shell: Shell): Promise<Seen> {
  const [all, moduleFile, bindingFile] = await Promise.all([
    shell.ask("cat /etc/modules /etc/modules-load.d/*.conf /etc/modprobe.d/*.conf 2>/dev/null"),
    readHostFile(shell, MODULE_FILE),
    readHostFile(shell, BINDING_FILE),
  ]);
  return { ...vfioSettings(all.stdout), moduleFile, bindingFile };
}
