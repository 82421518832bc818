import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editGrub, editKernelCmdline, iommuWords, isSatisfied } from "./kernel-line.ts";

const INTEL = iommuWords("GenuineIntel");
const AMD = iommuWords("AuthenticAMD");

/** As the installer of Proxmox VE 9 leaves it, shortened. */
const GRUB = `# If you change this file or any /etc/default/grub.d/*.cfg file,
# run 'update-grub' afterwards to update /boot/grub/grub.cfg.

GRUB_DEFAULT=0
GRUB_TIMEOUT=5
GRUB_DISTRIBUTOR=\`( . /etc/os-release && echo \${NAME} )\`
GRUB_CMDLINE_LINUX_DEFAULT="quiet"
GRUB_CMDLINE_LINUX=""

# GRUB_TERMINAL=console
`;

describe("/etc/default/grub", () => {
  test("gets the word where people put it, and keeps every other line", () => {
    const edit = editGrub(GRUB, INTEL);
    expect(edit?.text).toBe(GRUB.replace('DEFAULT="quiet"', 'DEFAULT="quiet intel_iommu=on"'));
    expect(edit).toMatchObject({
      from: 'GRUB_CMDLINE_LINUX_DEFAULT="quiet"',
      to: 'GRUB_CMDLINE_LINUX_DEFAULT="quiet intel_iommu=on"',
    });
  });

  test("loses what switches it off, in whichever setting that is", () => {
    const text = GRUB.replace('LINUX=""', 'LINUX="root=ZFS=rpool/ROOT/pve-1 intel_iommu=off boot=zfs"');
    expect(editGrub(text, INTEL)?.text).toContain('GRUB_CMDLINE_LINUX="root=ZFS=rpool/ROOT/pve-1 boot=zfs"\n');
    expect(editGrub(GRUB.replace('"quiet"', "'quiet amd_iommu=off'"), AMD)?.text).toContain(
      "GRUB_CMDLINE_LINUX_DEFAULT='quiet'\n",
    );
  });

  test("is left alone when it says so already", () => {
    expect(editGrub(GRUB.replace('"quiet"', '"intel_iommu=on iommu=pt quiet"'), INTEL)).toBeUndefined();
    expect(editGrub(GRUB, AMD)).toBeUndefined();
  });

  test("of two settings the last counts, and comments are no settings", () => {
    const text = '#GRUB_CMDLINE_LINUX_DEFAULT="a"\nGRUB_CMDLINE_LINUX_DEFAULT="b"\nGRUB_CMDLINE_LINUX_DEFAULT=c # why\n';
    expect(editGrub(text, INTEL)?.text).toBe(
      '#GRUB_CMDLINE_LINUX_DEFAULT="a"\nGRUB_CMDLINE_LINUX_DEFAULT="b"\nGRUB_CMDLINE_LINUX_DEFAULT="c intel_iommu=on" # why\n',
    );
  });

  test("without the setting gets it", () => {
    expect(editGrub("GRUB_DEFAULT=0\n", INTEL)?.text).toBe('GRUB_DEFAULT=0\nGRUB_CMDLINE_LINUX_DEFAULT="intel_iommu=on"\n');
  });
});

describe("/etc/kernel/cmdline", () => {
  test("gets the word on its one line", () => {
    expect(editKernelCmdline("root=ZFS=rpool/ROOT/pve-1 boot=zfs\n", INTEL)).toEqual({
      text: "root=ZFS=rpool/ROOT/pve-1 boot=zfs intel_iommu=on\n",
      from: "root=ZFS=rpool/ROOT/pve-1 boot=zfs",
      to: "root=ZFS=rpool/ROOT/pve-1 boot=zfs intel_iommu=on",
    });
    expect(editKernelCmdline("root=ZFS=rpool/ROOT/pve-1 boot=zfs intel_iommu=off", INTEL)?.text).toBe(
      "root=ZFS=rpool/ROOT/pve-1 boot=zfs intel_iommu=on\n",
    );
  });
});

test("an edit is enough, and a second one changes nothing", () => {
  const word = fc.constantFrom(
    "quiet",
    "iommu=pt",
    "intel_iommu=off",
    "intel_iommu=on",
    "iommu=off",
    "root=/dev/sda1",
    "console=ttyS0",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      const line = editKernelCmdline(`${words.join(" ")}\n`, INTEL)?.text ?? words.join(" ");
      expect(isSatisfied(line, INTEL)).toBe(true);
      expect(editKernelCmdline(line, INTEL)).toBeUndefined();
      const grub = editGrub(`GRUB_CMDLINE_LINUX_DEFAULT="${words.join(" ")}"\n`, INTEL)?.text;
      if (grub !== undefined) expect(editGrub(grub, INTEL)).toBeUndefined();
      for (const kept of words.filter((one) => !INTEL.unwanted.includes(one))) expect(line).toContain(kept);
    }),
  );
});
