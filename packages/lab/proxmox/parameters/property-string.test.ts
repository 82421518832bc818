import fc from "fast-check";
import { expect, test } from "vitest";
import { driveProperties } from "../vm/drive.ts";
import { NIC_PROPERTIES } from "../vm/nic.ts";
import { AGENT } from "../vm/option-formats.ts";
import type { Properties } from "./property.ts";
import { parsePropertyString, printPropertyString } from "./property-string.ts";

const SCSI = driveProperties("scsi0") as Properties;

function again(properties: Properties, text: string): string {
  return printPropertyString(properties, parsePropertyString(properties, text, "x"));
}

// Expected formats: docs/facts/proxmox.md#property-strings.
test("a drive is printed with its volume first, then its options sorted by name", () => {
  expect(again(SCSI, "ssd=1,discard=on,iothread=on,local-lvm:vm-100-disk-0")).toBe(
    "local-lvm:vm-100-disk-0,discard=on,iothread=1,ssd=1",
  );
});

test("the volume's key can be file or volume", () => {
  expect(again(SCSI, "file=local-lvm:8")).toBe("local-lvm:8");
  expect(again(SCSI, "volume=local-lvm:8")).toBe("local-lvm:8");
});

test("a network is printed with its model and address first", () => {
  expect(again(NIC_PROPERTIES, "tag=007,bridge=vmbr0,macaddr=bc:24:11:aa:bb:cc,model=virtio")).toBe(
    "virtio=bc:24:11:aa:bb:cc,bridge=vmbr0,tag=007",
  );
  expect(again(NIC_PROPERTIES, "virtio=BC:24:11:AA:BB:CC,bridge=vmbr0")).toBe("virtio=BC:24:11:AA:BB:CC,bridge=vmbr0");
});

test.each(["1", "on", "yes", "true"])("inside a property string %s is true", (word) => {
  expect(parsePropertyString(AGENT, `enabled=${word}`, "agent").enabled).toBe("1");
});

test("an unknown key is reported below the property", () => {
  expect(() => parsePropertyString(SCSI, "local-lvm:8,bogus=1", "scsi0")).toThrow(
    "format error\nscsi0.bogus: property is not defined in schema and the schema does not allow additional properties",
  );
});

test("a virtio disk does not have the option ssd", () => {
  expect(() => parsePropertyString(driveProperties("virtio0") as Properties, "local-lvm:8,ssd=1", "virtio0")).toThrow(
    "virtio0.ssd: property is not defined",
  );
});

test("a key given twice is refused", () => {
  expect(() => parsePropertyString(SCSI, "local-lvm:8,ssd=1,ssd=0", "scsi0")).toThrow(
    "duplicate key in comma-separated list property: ssd",
  );
});

test.each([
  ["local-lvm:8,ssd=", "missing key in comma-separated list property"],
  ["local-lvm:8,=1", "missing key in comma-separated list property"],
])("%s has an invalid part", (text, complaint) => {
  expect(() => parsePropertyString(SCSI, text, "scsi0")).toThrow(complaint);
});

test("a network has exactly one model", () => {
  expect(() => parsePropertyString(NIC_PROPERTIES, "model=e1000,virtio=BC:24:11:AA:BB:CC", "net0")).toThrow(
    "key alias 'model' is already defined",
  );
});

test("parsed values are unchanged after printing and parsing", () => {
  const option = fc.constantFrom("ssd=1", "discard=on", "iothread=0", "cache=none", "backup=0", "mbps=10.5", "serial=abc");
  fc.assert(
    fc.property(fc.uniqueArray(option), fc.integer({ min: 0, max: 9 }), (options, at) => {
      const parts: string[] = [...options];
      parts.splice(at, 0, "local-lvm:vm-100-disk-0");
      const printed = again(SCSI, parts.join(","));
      expect(again(SCSI, printed)).toBe(printed);
    }),
  );
});
