import { remoteError } from "@talosmith/lib/errors.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { writeContext } from "../../engine/context.ts";
import type { TalosNode } from "../api/talos-node.ts";
import type { TalosNodes } from "../api/talos-nodes.ts";
import { type EtcdState, etcdStaysHealthy, keepingEtcd, quorumOf, withoutForAWhile, withoutForGood } from "./etcd-quorum.ts";

/* Quorums from etcd's own FAQ: a cluster of 1, 2, 3, 4, 5 members needs 1, 2, 2, 3, 3. */

const state = (name: string, is: EtcdState["is"]): EtcdState => ({ name, is, words: `${name} ${is}` });

test("more than half of the members is a quorum", () => {
  expect([1, 2, 3, 4, 5, 6, 7].map(quorumOf)).toEqual([1, 2, 2, 3, 3, 4, 4]);
});

test("a single control plane has no others to query", () => {
  expect(withoutForAWhile("cp-1", [])).toEqual([]);
});

test("one of three may go away while both others are healthy", () => {
  expect(withoutForAWhile("cp-1", [state("cp-2", "healthy"), state("cp-3", "healthy")])).toEqual([]);
});

test("one of three may not go away while another is down, and that one is named", () => {
  expect(withoutForAWhile("cp-1", [state("cp-2", "healthy"), state("cp-3", "silent")])).toMatchObject([
    { level: "fail", code: "QUORUM", message: expect.stringContaining("cp-3 silent") },
  ]);
});

test("any node may leave while there is no etcd", () => {
  expect(withoutForAWhile("cp-1", [state("cp-2", "empty"), state("cp-3", "empty")])).toEqual([]);
});

test("one of two may leave for good while the other is healthy, but not go away for a while", () => {
  const other = [state("cp-2", "healthy")];
  expect(withoutForGood("cp-1", other)).toEqual([]);
  expect(withoutForAWhile("cp-1", other)).toHaveLength(1);
});

test("the only member of etcd does not leave", () => {
  expect(withoutForGood("cp-1", [])).toMatchObject([{ code: "QUORUM", message: expect.stringContaining("only member") }]);
});

test("a member may leave only when more than half of the remaining members are healthy", () => {
  const states = fc.array(fc.constantFrom<EtcdState["is"]>("healthy", "unhealthy", "silent"), { minLength: 1, maxLength: 7 });
  fc.assert(
    fc.property(states, (all) => {
      const others = all.map((is, at) => state(`cp-${at}`, is));
      const healthy = all.filter((is) => is === "healthy").length;
      expect(withoutForGood("x", others).length === 0).toBe(healthy * 2 > others.length);
      // While it is away it still counts as a member.
      expect(withoutForAWhile("x", others).length === 0).toBe(healthy * 2 > others.length + 1);
    }),
  );
});

const CONTROL_PLANE = { name: "cp-1", ip: "10.0.0.1", role: "controlplane" };

test("a control plane is left when its etcd reaches the others again, not before", async () => {
  const log: string[] = [];
  const lost = remoteError("TALOS_UNAVAILABLE", { message: "etcdserver: request timed out", transient: true });
  const failures = [lost, lost];
  const api = {
    services: async () => [{ id: "etcd", state: "Running", healthy: true }],
    etcdMembers: async () => {
      log.push("asked");
      const failure = failures.shift();
      if (failure) throw failure;
      return [];
    },
  } as unknown as TalosNode;
  const talos = { node: () => api } as unknown as TalosNodes;
  await keepingEtcd(
    talos,
    CONTROL_PLANE,
    writeContext(testSession({ timeScale: 1000 }), "bootstrap/config/cp-1", new Map()),
    async () => {
      log.push("changed");
    },
  );
  expect(log).toEqual(["changed", "asked", "asked", "asked"]);
});

test("a control plane without a healthy etcd is not waited for", async () => {
  const api = { services: async () => [{ id: "etcd", state: "Preparing" }] } as unknown as TalosNode;
  const log: string[] = [];
  await keepingEtcd(
    { node: () => api } as unknown as TalosNodes,
    CONTROL_PLANE,
    writeContext(testSession({ timeScale: 1000 }), "bootstrap/config/cp-1", new Map()),
    async () => {
      log.push("changed");
    },
  );
  expect(log).toEqual(["changed"]);
});

test("a control plane is not touched while a member still learns from the others", async () => {
  const members = [{ hostname: "cp-2" }, { hostname: "cp-3", isLearner: true }];
  const api = {
    services: async () => [{ id: "etcd", state: "Running", healthy: true }],
    etcdMembers: async () => members,
  } as unknown as TalosNode;
  const others = [2, 3].map((n) => ({ name: `cp-${n}`, ip: `10.0.0.${n}` }));
  const c = writeContext(testSession({ timeScale: 10_000 }), "machine/cp-1", new Map());
  const against = () => etcdStaysHealthy({ node: () => api } as unknown as TalosNodes, "cp-1", others, c);
  expect(await against()).toMatchObject([{ level: "fail", code: "QUORUM", message: expect.stringContaining("cp-3 has joined") }]);
  members.pop();
  expect(await against()).toEqual([]);
});
