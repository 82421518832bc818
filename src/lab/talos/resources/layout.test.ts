import { create, fromBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MachineStatusEvent_MachineStage as MachineStage, MachineStatusEventSchema } from "../../../../gen/machine/machine_pb.js";
import { encodeSpec, type Layout } from "./layout.ts";

/** MachineStatusSpec has the numbers of machine.MachineStatusEvent (talos.md 4.5, 4.6), so generated code can read it. */
const LAYOUT: Layout = [
  [1, "stage", { numbers: { booting: 1, running: 4 } }],
  [
    2,
    "status",
    {
      message: [
        [1, "ready", "bool"],
        [
          2,
          "unmetConditions",
          {
            messages: [
              [1, "name", "string"],
              [2, "reason", "string"],
            ],
          },
        ],
      ],
    },
  ],
];

test("what a layout writes is what generated code reads", () => {
  const conditions = fc.array(fc.record({ name: fc.string(), reason: fc.string({ maxLength: 300 }) }));
  fc.assert(
    fc.property(fc.constantFrom("booting", "running"), fc.boolean(), conditions, (stage, ready, unmetConditions) => {
      const read = fromBinary(MachineStatusEventSchema, encodeSpec(LAYOUT, { stage, status: { ready, unmetConditions } }));
      const number = stage === "booting" ? MachineStage.BOOTING : MachineStage.RUNNING;
      expect(read).toEqual(create(MachineStatusEventSchema, { stage: number, status: { ready, unmetConditions } }));
    }),
  );
});

// Bytes by hand from the protobuf encoding rules and common.NetIPPrefix{1 ip, 2 prefix_length}.
test("addresses, numbers, maps and lists are written as protobuf has them", () => {
  expect(encodeSpec([[1, "a", "prefix"]], { a: "10.0.0.9/24" }).toString("hex")).toBe("0a080a040a0000091018");
  expect(encodeSpec([[2, "a", "ips"]], { a: ["10.0.0.9", "::1"] }).toString("hex")).toBe(
    `12060a040a00000912120a10${"0".repeat(31)}1`,
  );
  expect(encodeSpec([[1, "n", "uint"]], { n: 21_474_836_480 }).toString("hex")).toBe("088080808050");
  expect(encodeSpec([[4, "m", "map"]], { m: { a: "b" } }).toString("hex")).toBe("22060a0161120162");
  expect(encodeSpec([[30, "m", "mac"]], { m: "bc:24:11:00:00:0b" }).toString("hex")).toBe("f20106bc241100000b");
  expect(encodeSpec([[1, "a", "string"]], { a: undefined }).length).toBe(0);
});
