import { create, fromBinary } from "@bufbuild/protobuf";
import {
  MachineStatusEvent_MachineStage as MachineStage,
  MachineStatusEventSchema,
} from "@talosmith/wire/gen/machine/machine_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeSpec, type Spec } from "./encode.ts";
import { layout } from "./layout.ts";
import { printSpec } from "./print.ts";

/** MachineStatusSpec has the field numbers of machine.MachineStatusEvent (docs/facts/talos.md#resources), so generated code can read it. */
const STATUS = layout("1 stage stage  2 status { 1 ready bool  2 unmetConditions { 1 name text  2 reason text }* }");

test("generated code reads the bytes that a layout encodes", () => {
  const conditions = fc.array(fc.record({ name: fc.string(), reason: fc.string({ maxLength: 300 }) }));
  fc.assert(
    fc.property(fc.constantFrom("booting", "running"), fc.boolean(), conditions, (stage, ready, unmetConditions) => {
      const read = fromBinary(MachineStatusEventSchema, encodeSpec(STATUS, { stage, status: { ready, unmetConditions } }, 13));
      const number = stage === "booting" ? MachineStage.BOOTING : MachineStage.RUNNING;
      expect(read).toEqual(create(MachineStatusEventSchema, { stage: number, status: { ready, unmetConditions } }));
    }),
  );
});

const hex = (fields: string, spec: Spec, minor = 13) => encodeSpec(layout(fields), spec, minor).toString("hex");

// Bytes written by hand after the protobuf encoding rules and common.NetIPPrefix{1 ip, 2 prefix_length}.
test("addresses, numbers, maps and lists are encoded as protobuf defines", () => {
  expect(hex("1 a prefix", { a: "10.0.0.9/24" })).toBe("0a080a040a0000091018");
  expect(hex("2 a ip*", { a: ["10.0.0.9", "::1"] })).toBe(`12060a040a00000912120a10${"0".repeat(31)}1`);
  expect(hex("1 n number", { n: 21_474_836_480 })).toBe("088080808050");
  expect(hex("1 n number", { n: -140 })).toBe("08f4feffffffffffffff01");
  expect(hex("4 m map", { m: { a: "b" } })).toBe("22060a0161120162");
  expect(hex("4 m args", { m: { a: ["b", "c"] } })).toBe("220b0a016112060a01620a0163");
  expect(hex("30 m mac", { m: "bc:24:11:00:00:0b" })).toBe("f20106bc241100000b");
  expect(hex("1 a text", { a: undefined })).toBe("");
  expect(hex("4 flags linkFlags", { flags: "UP,RUNNING" })).toBe("2041");
});

test("YAML contains all fields except empty optional ones", () => {
  const fields = "1 name text  2 count number  3 list text*  4 extra? text  5 inner? { 1 port number }  6 scope scope";
  expect(printSpec(layout(fields), {}, 13)).toBe('name: ""\ncount: 0\nlist: []\nscope: global\n');
  expect(printSpec(layout(fields), { extra: "x", inner: { port: 1 } }, 13)).toBe(
    'name: ""\ncount: 0\nlist: []\nextra: x\ninner:\n    port: 1\nscope: global\n',
  );
});

test("a field exists only in the versions that have it", () => {
  const fields = "7@12-12 extraArgs map  13@13 extraArgs args";
  expect(hex(fields, { extraArgs: { a: "b" } }, 12)).toBe("3a060a0161120162");
  expect(hex(fields, { extraArgs: { a: ["b"] } }, 14)).toBe("6a080a016112030a0162");
});

test("an invalid layout is refused when it is parsed", () => {
  for (const wrong of ["1 name", "name text", "1 name unicorn", "1 a { 1 b text", "1 a text }"])
    expect(() => layout(wrong)).toThrow();
});
