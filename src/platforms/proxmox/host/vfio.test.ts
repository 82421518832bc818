import { expect, test } from "vitest";
import type { PciDevice } from "./survey.ts";
import { bindable, bindingText, vfioSettings } from "./vfio.ts";

const device = (id: string, vendor: string, code: string): PciDevice => ({
  id,
  class: "030000",
  vendor,
  device: code,
  name: "",
  group: 1,
});

test("settings of several files are merged, and comments ignored", () => {
  const text = `# /etc/modules: kernel modules to load at boot time.
vfio
vfio-pci # by hand
options vfio-pci ids=10DE:2684,10de:22ba disable_vga=1
#options vfio-pci ids=1002:744c
options kvm ignore_msrs=1
blacklist nouveau
`;
  expect(vfioSettings(text)).toEqual({ modules: ["vfio", "vfio_pci"], ids: ["10de:2684", "10de:22ba"] });
});

test("written settings are read back", () => {
  expect(vfioSettings(bindingText(["10de:2684", "10de:22ba"])).ids).toEqual(["10de:22ba", "10de:2684"]);
});

test("a card whose like the host keeps for itself is not taken by its id: both would go", () => {
  const kept = device("0000:02:00.0", "8086", "1521");
  const given = device("0000:02:00.1", "8086", "1521");
  const gpu = device("0000:41:00.0", "10de", "2684");
  expect(bindable([given, gpu], [kept, given, gpu])).toEqual(["10de:2684"]);
});
