import type { Survey } from "../survey.ts";
import type { BlockDevices } from "./block-devices.ts";
import { realDisks } from "./disks.ts";
import { type Mount, mountsOf } from "./mounts.ts";
import { first, linesOf, type Sections, unreadable } from "./sections.ts";

type System = Omit<Survey, "disks" | "network">;

/** The system that runs now, and its machine without disks and cards. */
export function systemOf(sections: Sections, devices: BlockDevices, server: string): System {
  const arch = first(sections, "machine");
  const root = rootOf(sections);
  if (arch === undefined || root === undefined)
    throw unreadable(server, arch === undefined ? "it does not report its processor" : "it does not report its root file system");
  const memory = Number(/^MemTotal:\s*(\d+)\s*kB/m.exec(linesOf(sections, "memory").join("\n"))?.[1] ?? "x");
  const uuid = first(sections, "uuid")?.toLowerCase();
  const rootDisk = diskOfRoot(root, devices);
  return {
    from: first(sections, "from")?.split(/\s+/)[0] ?? "",
    hostname: first(sections, "hostname") ?? "",
    rootFilesystem: root.filesystem,
    ...(rootDisk !== undefined && { rootDisk }),
    cmdline: linesOf(sections, "cmdline").join(" ").trim(),
    arch: ARCHITECTURES.get(arch) ?? arch,
    firmware: first(sections, "efi") === "yes" ? "uefi" : "bios",
    secureBoot: isSecureBoot(sections),
    ...(Number.isSafeInteger(memory * 1024) && { memoryBytes: memory * 1024 }),
    ...(uuid !== undefined && /^[0-9a-f-]{36}$/.test(uuid) && { uuid }),
    tools: new Set(linesOf(sections, "tools").map((line) => line.trim())),
  };
}

const ARCHITECTURES = new Map([
  ["x86_64", "amd64"],
  ["aarch64", "arm64"],
]);

/** The last mount at /, which hides earlier ones, such as the first "rootfs". */
function rootOf(sections: Sections): Mount | undefined {
  const [filesystem, source] = first(sections, "root")?.split(/\s+/) ?? [];
  const mounted = mountsOf(sections).findLast((mount) => mount.at === "/");
  if (mounted !== undefined) return mounted;
  return filesystem === undefined ? undefined : { at: "/", filesystem, source: source ?? "" };
}

function diskOfRoot(root: Mount, devices: BlockDevices): string | undefined {
  const device = (root.number === undefined ? undefined : devices.find(root.number)) ?? devices.find(root.source);
  if (device === undefined) return undefined;
  const below = devices.disksOf(device);
  const real = realDisks(devices).map(({ name }) => name);
  return below.find((name) => real.includes(name)) ?? below[0];
}

function isSecureBoot(sections: Sections): boolean {
  const bytes = linesOf(sections, "secureboot").join(" ").trim().split(/\s+/);
  // Four bytes of attributes and one of value.
  if (bytes.length === 5) return bytes[4] === "01";
  return linesOf(sections, "mokutil").some((line) => /SecureBoot enabled/i.test(line));
}
