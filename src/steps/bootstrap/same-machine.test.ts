import { expect, test } from "vitest";
import { plainNode } from "../../config/testing/plain-node.ts";
import type { Environment } from "../../environment/environment.ts";
import type { MachineFacts } from "../../platforms/platform.ts";
import type { Hardware } from "../../talos/api/talos-nodes.ts";
import { sameMachine } from "./same-machine.ts";

const env = { where: () => undefined } as unknown as Environment;
const node = plainNode({ name: "cp-1", role: "controlplane", ip: "10.0.0.1" });
const hardware: Hardware = {
  uuid: "u-1",
  macs: ["02:00:00:00:00:01", "02:00:00:00:00:02"],
  disks: [
    { path: "/dev/sda", size: 1, serial: "S-1", readonly: false },
    { path: "/dev/sdb", size: 1, readonly: false },
  ],
};
const told = (facts: Partial<MachineFacts>, found: Hardware = hardware) => {
  try {
    sameMachine(env, node, { address: node.ip, ...facts }, found);
    return "same";
  } catch (error) {
    return (error as { detail?: string }).detail;
  }
};

test("a machine that shows all that is known of it is the one", () => {
  expect(told({ uuid: "u-1", mac: "02:00:00:00:00:02", diskSerial: "S-1" })).toBe("same");
});

test("each thing that differs is named", () => {
  expect(told({ uuid: "u-2", mac: "02:00:00:00:00:09", diskSerial: "S-9" })?.split("\n")).toEqual([
    "its firmware says uuid u-1, the platform says u-2",
    "its network cards are 02:00:00:00:00:01, 02:00:00:00:00:02, expected 02:00:00:00:00:09",
    "its disks have the serials S-1, expected S-9",
  ]);
});

test("a machine whose disks show no serial is not held against it", () => {
  expect(told({ uuid: "u-1", diskSerial: "S-1" }, { ...hardware, disks: [] })).toBe("same");
});

test("when only the serial is known, a machine that shows none is refused", () => {
  expect(told({ diskSerial: "S-1" })).toBe("same");
  expect(told({ diskSerial: "S-1" }, { ...hardware, disks: [] })).toBe("its disks have the serials none, expected S-1");
});

test("a serial is compared as a whole: a machine whose disk only begins or ends with it is another one", () => {
  for (const serial of ["S-12", "AS-1", "s-1"]) {
    const found = { ...hardware, disks: [{ path: "/dev/sda", size: 1, serial, readonly: false }] };
    expect(told({ diskSerial: "S-1" }, found)).toBe(`its disks have the serials ${serial}, expected S-1`);
  }
});
