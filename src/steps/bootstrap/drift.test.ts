import { expect, test } from "vitest";
import { MachineConfig } from "../../talos/config/machine-config.ts";
import { drift } from "./node-config.ts";

const config = (value: string) =>
  MachineConfig.read(`version: v1alpha1\nmachine: { type: worker, sysctls: { a: "${value}" } }\n`);
const paths = (wanted: string, running: string, stored: string) =>
  drift(config(wanted), config(running), config(stored)).map(({ path, from, to }) => [path, from, to]);

test("a node that runs and keeps what it should does not differ", () => {
  expect(paths("1", "1", "1")).toEqual([]);
});

test("a config that was staged and never rebooted into still differs where it runs", () => {
  expect(paths("2", "1", "2")).toEqual([["machine.sysctls.a", "1", "2"]]);
});

test("a config on trial is not there yet: it would be gone after the next boot", () => {
  expect(paths("2", "2", "1")).toEqual([["machine.sysctls.a (after the next boot)", "1", "2"]]);
});

test("a field that differs now and after the next boot is listed once", () => {
  expect(paths("3", "1", "2")).toEqual([["machine.sysctls.a", "1", "3"]]);
});
