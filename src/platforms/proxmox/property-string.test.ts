import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  canonicalProperties,
  isOn,
  printNetworkCard,
  printProperties,
  readNetworkCard,
  readProperties,
  readSize,
} from "./property-string.ts";

// Texts as Proxmox returns them (docs/facts/proxmox.md#property-strings).
test("a disk's volume is the part without a name", () => {
  expect(readProperties("local-lvm:vm-100-disk-0,discard=on,iothread=1,size=20G,ssd=1", "file")).toEqual({
    file: "local-lvm:vm-100-disk-0",
    discard: "on",
    iothread: "1",
    size: "20G",
    ssd: "1",
  });
});

test("a network card reads the same in both spellings", () => {
  const short = readNetworkCard("virtio=bc:24:11:aa:bb:cc,bridge=vmbr0,tag=10");
  expect(short).toEqual({ model: "virtio", mac: "BC:24:11:AA:BB:CC", rest: { bridge: "vmbr0", tag: "10" } });
  expect(readNetworkCard("model=virtio,macaddr=BC:24:11:AA:BB:CC,bridge=vmbr0,tag=10")).toEqual(short);
});

test("unmanaged options of a network card are kept", () => {
  const card = readNetworkCard("virtio=BC:24:11:AA:BB:CC,bridge=vmbr0,firewall=1,queues=4");
  expect(printNetworkCard(card)).toBe("virtio=BC:24:11:AA:BB:CC,bridge=vmbr0,firewall=1,queues=4");
});

test("sizes are read in every unit Proxmox prints", () => {
  expect(["20G", "1228M", "528K", "1T", "512"].map(readSize)).toEqual([21474836480, 1287651328, 540672, 2 ** 40, 512]);
  expect(readSize("much")).toBeUndefined();
});

test("yes has four spellings inside a property string", () => {
  expect(["1", "on", "yes", "true", "0", "off", undefined].map(isOn)).toEqual([true, true, true, true, false, false, false]);
});

test("the order of options does not matter", () => {
  expect(canonicalProperties("flags=+aes,hidden=1,host", "cputype")).toBe(
    canonicalProperties("cputype=host,hidden=1,flags=+aes", "cputype"),
  );
});

test("a printed property string reads back unchanged", () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
  const value = fc.stringMatching(/^[A-Za-z0-9:/.;+-]{1,12}$/);
  fc.assert(
    fc.property(fc.dictionary(word, value), value, (rest, file) => {
      const properties = { ...rest, file };
      expect(readProperties(printProperties(properties, "file"), "file")).toEqual(properties);
    }),
  );
});

test("any property string is parsed safely and keeps its meaning when printed", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "",
      "=",
      "a=",
      "=b",
      "__proto__=x",
      "constructor=y",
      "virtio=",
      "size=1e999",
      "model",
      "\u0000",
      "a=b=c",
      " ",
    ),
    fc.string({ unit: "binary", maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const text = pieces.join(",");
      const properties = readProperties(text, "file");
      for (const [name, value] of Object.entries(properties)) expect([typeof name, typeof value]).toEqual(["string", "string"]);
      const canonical = canonicalProperties(text, "file");
      expect(canonicalProperties(canonical, "file")).toBe(canonical);
      expect(Object.getPrototypeOf(properties)).toBe(Object.prototype);
      readNetworkCard(text);
      readSize(text);
    }),
  );
});
