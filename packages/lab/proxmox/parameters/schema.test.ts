import { expect, test } from "vitest";
import { SimulatedError } from "../refusal.ts";
import { releaseOf } from "../release.ts";
import { VM_OPTIONS } from "../vm/options.ts";
import { NODE, VMID } from "./formats.ts";
import type { Properties } from "./property.ts";
import { type RawParameters, splitList, verifyParameters } from "./schema.ts";

const PROPERTIES: Properties = {
  ...VM_OPTIONS,
  vmid: VMID,
  node: { ...NODE, optional: true },
  checksum: { type: "string", optional: true, requires: "checksum-algorithm" },
};

function errorsOf(given: RawParameters, version = "9.2.11"): Record<string, string> {
  try {
    verifyParameters(PROPERTIES, { vmid: 100, ...given }, releaseOf({ version }));
    return {};
  } catch (error) {
    if (!(error instanceof SimulatedError)) throw error;
    expect(error.message).toBe("Parameter verification failed.");
    return { ...error.errors };
  }
}

// Literal messages: docs/facts/proxmox.md#validation-messages.
test.each<[string, RawParameters, Record<string, string>]>([
  ["missing", { vmid: null }, { vmid: "property is missing and it is not optional" }],
  ["integer", { cores: "abc" }, { cores: "type check ('integer') failed - got 'abc'" }],
  ["empty integer", { cores: "" }, { cores: "type check ('integer') failed - got ''" }],
  ["boolean", { onboot: "true" }, { onboot: "type check ('boolean') failed - got 'true'" }],
  ["minimum", { cores: "0" }, { cores: "value must have a minimum value of 1" }],
  ["maximum", { shares: "50001" }, { shares: "value must have a maximum value of 50000" }],
  ["length", { description: "x".repeat(8193) }, { description: "value may only be 8192 characters long" }],
  ["pattern", { serial0: "tty" }, { serial0: "value does not match the regex pattern" }],
  ["enumeration", { bios: "x" }, { bios: "value 'x' does not have a value in the enumeration 'seabios, ovmf'" }],
  ["unknown", { bogus: 1 }, { bogus: "property is not defined in schema and the schema does not allow additional properties" }],
  ["requires", { checksum: "a" }, { "checksum-algorithm": "missing property required by 'checksum'" }],
  ["vmid", { vmid: "abc" }, { vmid: "type check ('integer') failed - got 'abc'" }],
  ["vmid range", { vmid: "99" }, { vmid: "invalid format - value does not look like a valid VM ID\n" }],
  ["dns name", { name: "a_b" }, { name: "invalid format - value does not look like a valid DNS name\n" }],
  ["tag", { tags: "a;b c;!" }, { tags: "invalid format - invalid characters in tag\n" }],
  [
    "drive",
    { scsi0: "local-lvm:8,bogus=1" },
    {
      scsi0:
        "invalid format - format error\nscsi0.bogus: property is not defined in schema and the schema does not allow additional properties\n",
    },
  ],
  [
    "network",
    { net0: "virtio=01:00:00:00:00:00" },
    {
      net0: "invalid format - format error\nnet0.macaddr: invalid format - value does not look like a valid unicast MAC address\n\n",
    },
  ],
])("%s", (_, given, errors) => {
  expect(errorsOf(given)).toEqual(errors);
});

// Responses of pvedaemon 9.2.11 and 8.4.21.
test.each<[string, RawParameters, Record<string, string>, Record<string, string>]>([
  [
    "what a parameter requires",
    { checksum: "a" },
    { "checksum-algorithm": "missing property required by 'checksum'" },
    { "checksum-algorithm": "missing property - 'checksum' requires this property" },
  ],
  [
    "what a part of a property string requires, with its whole path",
    { ipconfig0: "gw=10.0.0.1" },
    { ipconfig0: "invalid format - format error\nipconfig0.ip: missing property required by 'ipconfig0.gw'\n" },
    { ipconfig0: "invalid format - format error\nipconfig0.ip: missing property - 'ipconfig0.gw' requires this property\n" },
  ],
  [
    "a boolean without its key",
    { agent: "true" },
    {},
    { agent: "invalid format - format error\nagent.enabled: type check ('boolean') failed - got 'true'\n" },
  ],
  ["a boolean with its key", { agent: "enabled=true" }, {}, {}],
])("9 and 8 differ in %s", (_, given, nine, eight) => {
  expect(errorsOf(given)).toEqual(nine);
  expect(errorsOf(given, "8.4.21")).toEqual(eight);
});

test("every wrong parameter is reported in one response", () => {
  expect(Object.keys(errorsOf({ cores: "x", onboot: "yes", bogus: 1 })).sort()).toEqual(["bogus", "cores", "onboot"]);
});

test("JSON booleans and numbers are converted as in Perl", () => {
  expect(verifyParameters(PROPERTIES, { vmid: 100, onboot: true, cores: 2 })).toEqual({ vmid: "100", onboot: "1", cores: "2" });
});

test("JSON arrays are joined for list parameters, and refused for others", () => {
  expect(verifyParameters(PROPERTIES, { vmid: 100, tags: ["a", "b"] }).tags).toBe("a,b");
  expect(errorsOf({ name: ["a", "b"] })).toEqual({ name: "type check ('string') failed - got ARRAY" });
});

test("lists are separated by comma, semicolon, blank or NUL", () => {
  expect(splitList("a,b;c d\0e,,")).toEqual(["a", "b", "c", "d", "e"]);
});

test.each(["ide4", "sata6", "scsi31", "virtio16", "net32", "hostpci16", "serial4", "scsi01"])("%s is not a valid key", (key) => {
  expect(errorsOf({ [key]: "none" })[key]).toBe(
    "property is not defined in schema and the schema does not allow additional properties",
  );
});
