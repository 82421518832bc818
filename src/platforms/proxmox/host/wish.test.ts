import { expect, test } from "vitest";
import { readWish } from "./wish.ts";

test("a card may be named without its domain, and in capitals", () => {
  expect(readWish({ pci: ["gpu0=pve2:01:00", "gpu0=pve-3.lab:0000:0A:00.1"] }).pci).toEqual([
    { mapping: "gpu0", host: "pve2", device: "0000:01:00" },
    { mapping: "gpu0", host: "pve-3.lab", device: "0000:0a:00.1" },
  ]);
});

test("a USB device is named by vendor and product", () => {
  expect(readWish({ usb: ["zigbee=pve1:10C4:ea60"] }).usb).toEqual([{ mapping: "zigbee", host: "pve1", device: "10c4:ea60" }]);
});

test.each([
  [{ pci: ["gpu0"] }, "--pci gpu0"],
  [{ pci: ["gpu0=pve2"] }, "--pci gpu0=pve2"],
  [{ pci: ["gpu0=pve2:01:00.9"] }, "--pci gpu0=pve2:01:00.9"],
  [{ pci: ["gpu0=pve2:; rm -rf /"] }, "--pci gpu0=pve2:; rm -rf /"],
  [{ usb: ["stick=pve1:0000:01:00"] }, "--usb stick=pve1:0000:01:00"],
  [{ nat: "vmbr10" }, "--nat vmbr10"],
  [{ nat: "vmbr10=10.10.0.5/24" }, "--nat vmbr10=10.10.0.5/24"],
  [{ nat: "vmbr10=10.0.0.0/8" }, "--nat vmbr10=10.0.0.0/8"],
  [{ nat: "vmbr10=10.10.0.0/24,nodhcp" }, "--nat vmbr10=10.10.0.0/24,nodhcp"],
  [{ nat: "eth0:1=10.10.0.0/24" }, "--nat eth0:1=10.10.0.0/24"],
])("%j is not understood, with an example", (flags, named) => {
  expect(() => readWish(flags)).toThrow(
    expect.objectContaining({ message: `Unable to understand ${named}`, hint: expect.stringContaining("such as") }),
  );
});
