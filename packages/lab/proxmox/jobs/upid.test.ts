import fc from "fast-check";
import { expect, test } from "vitest";
import { parseUpid, printUpid } from "./upid.ts";

test("a UPID is parsed and printed with hex numbers and a colon at the end", () => {
  const parts = {
    node: "pve1",
    pid: 0x1e240,
    pstart: 0x3ade68b1,
    starttime: 0x6918d307,
    type: "qmcreate",
    id: "100",
    user: "deployer@pve!talos",
  };
  expect(printUpid(parts)).toBe("UPID:pve1:0001E240:3ADE68B1:6918D307:qmcreate:100:deployer@pve!talos:");
});

test("pstart may have nine digits, and an id may be empty", () => {
  expect(parseUpid("UPID:pve1:0001E240:13ADE68B1:6918D307:imgcopy::root@pam:")?.pstart).toBe(0x13ade68b1);
});

test.each(["UPID:pve1:1:2:3:a:b:c:", "UPID:pve1:0001E240:3ADE68B1:6918D307:qmcreate:100:root@pam", "x"])(
  "%s is not a UPID",
  (text) => {
    expect(parseUpid(text)).toBeUndefined();
  },
);

test("a printed UPID is parsed back unchanged", () => {
  const number = fc.integer({ min: 0, max: 0x7fffffff });
  fc.assert(
    fc.property(number, number, number, (pid, pstart, starttime) => {
      const parts = { node: "pve1", pid, pstart, starttime, type: "qmstart", id: "100", user: "root@pam" };
      expect(parseUpid(printUpid(parts))).toEqual(parts);
    }),
  );
});
