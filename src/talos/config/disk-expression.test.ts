import { describe, expect, test } from "vitest";
import { diskExpression } from "./disk-expression.ts";

// What is expected here is what Talos' own translation of machine.install.diskSelector gives (test/conformance/machine-config).
const always = `disk.transport != "" && !disk.readonly && !disk.cdrom`;

describe("a disk", () => {
  test("is found by the kernel's name for it", () => {
    expect(diskExpression("/dev/sda")).toBe(`disk.dev_path == "/dev/sda"`);
  });

  test("is found by a link to it", () => {
    expect(diskExpression("/dev/disk/by-id/nvme-eui.1")).toBe(`"/dev/disk/by-id/nvme-eui.1" in disk.symlinks`);
  });

  test("is never a CD drive, read only or a volume of the device mapper", () => {
    expect(diskExpression({})).toBe(always);
  });

  test.each([
    [">= 100GB", "disk.size >= 100000000000u"],
    ["== 1TB", "disk.size == 1000000000000u"],
    ["1.5TiB", "disk.size == 1649267441664u"],
    ["<500 GiB", "disk.size < 536870912000u"],
    ["<= 16 eb", "disk.size <= 16000000000000000000u"],
    [" > 1000000 ", "disk.size > 1000000u"],
  ])("of size %s is %s", (size, expected) => {
    expect(diskExpression({ size })).toBe(`${expected} && ${always}`);
  });

  test("is of a kind", () => {
    const kinds = (["ssd", "hdd", "nvme", "sd"] as const).map((type) => diskExpression({ type }).split(" && ")[1]);
    expect(kinds).toEqual(["!disk.rotational", "disk.rotational", `disk.transport == "nvme"`, `disk.transport == "mmc"`]);
  });

  test("fits all that is said, patterns with quotes included", () => {
    expect(diskExpression({ serial: "S5*", model: 'a "b" \\', wwid: "naa.5*", busPath: "/pci0000:00/*" })).toBe(
      [
        `glob("naa.5*", disk.wwid)`,
        `glob("a \\"b\\" \\\\", disk.model)`,
        `glob("S5*", disk.serial)`,
        `disk.transport != ""`,
        `glob("/pci0000:00/*", disk.bus_path)`,
        "!disk.readonly",
        "!disk.cdrom",
      ].join(" && "),
    );
  });

  test.each(["", "big", ">= ", "=> 5GB", "10iB", "5XB", "5GB and more"])("of size %j is nothing we understand", (size) => {
    expect(() => diskExpression({ size })).toThrow(expect.objectContaining({ kind: "user", code: "TALOS_DISK_SIZE" }));
  });
});
