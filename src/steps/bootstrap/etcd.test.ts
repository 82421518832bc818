import { expect, test } from "vitest";
import { mayBootstrap } from "./etcd.ts";
import type { EtcdOn } from "./etcd-on.ts";

/* The rule of the design, section 3: bootstrapped once in a cluster's life. */

const empty = (node: string): EtcdOn => ({ node, is: "empty", words: `${node}: etcd is Preparing` });
const at = (node: string, is: "silent" | "starting" | "data"): EtcdOn => ({ node, is, words: `${node} is ${is}` });
const codes = (seen: EtcdOn[], before = false) => mayBootstrap(seen, before).map((finding) => finding.level);

test("when every control plane has answered and none has data, it may be bootstrapped", () => {
  expect(mayBootstrap([empty("cp-1"), empty("cp-2"), empty("cp-3")], false)).toEqual([]);
});

test("not while a control plane is unreachable: it might hold the data", () => {
  const findings = mayBootstrap([empty("cp-1"), at("cp-2", "silent"), empty("cp-3")], false);
  expect(findings).toMatchObject([{ level: "fail", message: expect.stringContaining("cp-2 is silent") }]);
});

test("not while a control plane is not far enough to tell", () => {
  expect(codes([empty("cp-1"), at("cp-2", "starting")])).toEqual(["fail"]);
});

test("not when a control plane has data, served or not", () => {
  expect(codes([empty("cp-1"), at("cp-2", "data")])).toEqual(["fail"]);
  expect(codes([empty("cp-1"), { node: "cp-2", is: "member", voters: ["cp-2"], words: "" }])).toEqual(["fail"]);
});

test("not when a mark says that it was done before", () => {
  expect(codes([empty("cp-1")], true)).toEqual(["fail"]);
});
