import { sameCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import { type Finding, type Step, step } from "../../../engine/step.ts";
import { editGrub, editKernelCmdline, iommuWords, isSatisfied, type KernelWords, type LineEdit } from "./kernel-line.ts";
import type { Root, Shell } from "./root.ts";
import { finishHostFile, type HostFile, readHostFile, writeHostFile } from "./write-file.ts";

interface Bootloader {
  file: string;
  /** The command that applies its file. */
  after: string;
  edit(text: string, words: KernelWords): LineEdit | undefined;
}

const GRUB: Bootloader = { file: "/etc/default/grub", after: "update-grub", edit: editGrub };
/** Where proxmox-boot-tool manages GRUB in EFI partitions, update-grub alone has no effect. */
const GRUB_IN_ESP: Bootloader = { ...GRUB, after: "update-grub && proxmox-boot-tool refresh" };
const SYSTEMD_BOOT: Bootloader = { file: "/etc/kernel/cmdline", after: "proxmox-boot-tool refresh", edit: editKernelCmdline };

/** The state of a host's IOMMU. */
export interface Iommu {
  /** Whether its devices are in IOMMU groups. */
  on: boolean;
  /** Whether the running kernel was started with the boot loader's present settings; if not, a reboot applies them. */
  inEffect: boolean;
}

interface Seen extends Iommu {
  loader: Bootloader;
  file: HostFile;
  words: KernelWords;
}

/** Enables the IOMMU of a host for passthrough on the kernel's command line. Takes effect at the next boot. */
export function iommu(root: Root, host: string, mayReboot: boolean): Step<Seen, Iommu> {
  const id = `host/${host}/iommu`;
  const subject = `${host}: IOMMU`;
  const shell = root.on(host);
  return step<Seen, Iommu>({
    id,
    stage: "preflight",
    title: subject,
    observe: async () => ({ is: "present", actual: await lookAtIommu(shell), owner: "shared" }),
    plan: (seen) => {
      if ("later" in seen || seen.is !== "present" || seen.actual.on) return [];
      const { loader, file, words } = seen.actual;
      const edit = loader.edit(file.text ?? "", words);
      if (!edit && !file.pending) return [];
      const line = edit && { path: loader.file, from: edit.from === "" ? null : edit.from, to: edit.to };
      return [
        {
          id,
          step: id,
          verb: "update",
          subject,
          fields: [...(line ? [line] : []), { path: "runs", from: null, to: loader.after }],
        },
      ];
    },
    notes: (seen) => (seen.is === "present" ? notes(host, mayReboot, seen.actual) : []),
    apply: async (_, c) => {
      const { loader, file, words } = await lookAtIommu(shell);
      const edit = loader.edit(file.text ?? "", words);
      await c.mutate({ key: `${host} ${loader.file}`, what: `switch the IOMMU of ${host} on` }, async () => {
        if (edit) await writeHostFile(shell, loader.file, edit.text, loader.after);
        else await finishHostFile(shell, loader.file, loader.after);
        return undefined;
      });
    },
    output: ({ on, inEffect }) => ({ on, inEffect }),
  });
}

export async function lookAtIommu(shell: Shell): Promise<Seen> {
  const [groups, running, processor, status] = await Promise.all([
    shell.look("list its IOMMU groups", "ls /sys/kernel/iommu_groups"),
    shell.look("read its kernel's command line", "cat /proc/cmdline"),
    shell.look("read its processor", "grep vendor_id /proc/cpuinfo"),
    shell.find("see how it boots", "proxmox-boot-tool status", /proxmox-boot-uuids does not exist|command not found/),
  ]);
  const loader = loaderIn(status ?? "");
  const words = iommuWords(/vendor_id\s*:\s*(\S+)/.exec(processor)?.[1] ?? "");
  const file = await readHostFile(shell, loader.file);
  const on = groups.trim() !== "";
  return { on, inEffect: on || isSatisfied(running, words), loader, file, words };
}

/** From `proxmox-boot-tool status`: the boot loader in the EFI partitions it manages; GRUB when it manages none. */
export function loaderIn(status: string): Bootloader {
  const [, loaders = ""] = /configured with: ([^\n]*)/.exec(status) ?? [];
  const legacy = /booted with legacy bios/i.test(status);
  if (/\buefi\b/.test(loaders) && !(legacy && /\bgrub\b/.test(loaders))) return SYSTEMD_BOOT;
  return /\bgrub\b/.test(loaders) ? GRUB_IN_ESP : GRUB;
}

function notes(host: string, mayReboot: boolean, { on, inEffect, file }: Seen): Finding[] {
  if (on || file.pending || (mayReboot && !inEffect)) return [];
  if (!inEffect)
    return [
      {
        level: "warn",
        code: "REBOOT_NEEDED",
        message: `${host} must be rebooted before its devices can be given to machines; their mappings are made after that`,
        hint: `when a reboot is acceptable:  ${sameCommand("host prepare", typedEnvironment(), "--reboot", host)}`,
      },
    ];
  return [
    {
      level: "warn",
      code: "IOMMU_FIRMWARE",
      message: `${host}: the kernel is configured to use the IOMMU, but finds none`,
      hint: `enable VT-d (Intel) or AMD-Vi (AMD) in the firmware of ${host}, at its console`,
    },
  ];
}
