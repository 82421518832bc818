import { remoteError } from "@talosmith/lib/errors.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EtcdMember, Resource, Service, TalosNode } from "../api/talos-node.ts";
import type { TalosNodes } from "../api/talos-nodes.ts";
import { type Asked, type AskedNode, askEach } from "./asked.ts";
import { etcdAlarms, memberDisagreements, strangeMembers } from "./etcd-members.ts";
import { tooLittleMemory, tooSmallDisks, wrongClocks } from "./limits.ts";
import { diagnoses, missingStaticPods, notBooted } from "./reports.ts";
import { serviceProblems } from "./services.ts";

/* The assertions of talosctl health (docs/facts/talos.md#health-checks), numbered as there; its limits are those of Talos 1.14's pkg/minimal. */

const { signal } = new AbortController();
const MIB = 1024 ** 2;
const cp = (n: number): AskedNode => ({ name: `cp-${n}`, ip: `10.10.0.1${n}`, role: "controlplane" });
const worker: AskedNode = { name: "worker-1", ip: "10.10.0.21", role: "worker" };
const said = <T>(node: AskedNode, answer: T): Asked<T> => ({ node, is: "said", answer });
const messages = (findings: readonly { level: string; message: string }[]) =>
  findings.map(({ level, message }) => [level, message]);

describe("each node gets the same call", () => {
  const nodes = (answer: (address: string) => Promise<string>) =>
    ({ node: (address: string) => ({ hostname: () => answer(address) }) as unknown as TalosNode }) as TalosNodes;
  const ask = (answer: (address: string) => Promise<string>) =>
    askEach(nodes(answer), [cp(1), worker], (api) => api.hostname(signal), signal);

  test("a node that does not answer is not well, and the others are heard all the same", async () => {
    const silent = remoteError("TALOS_UNAVAILABLE", { message: "Unable to read it", detail: "nobody answers", transient: true });
    const asked = await ask((address) => (address === worker.ip ? Promise.reject(silent) : Promise.resolve("a")));
    expect(asked).toEqual([
      said(cp(1), "a"),
      { node: worker, is: "unseen", why: { level: "fail", code: "TALOS_UNAVAILABLE", message: "worker-1: nobody answers" } },
    ]);
  });

  test("a question that its Talos does not know is skipped", async () => {
    const asked = await ask(() => Promise.reject(remoteError("TALOS_UNSUPPORTED", { message: "Unable" })));
    expect(asked.map((one) => one.is)).toEqual(["unsupported", "unsupported"]);
    expect(diagnoses(asked as Asked<readonly Resource[]>[])).toEqual([]);
  });

  test("an internal error does not count as a silent node", async () => {
    await expect(ask(() => Promise.reject(new TypeError("oops")))).rejects.toThrow("oops");
  });
});

describe("1 and 8, services", () => {
  const etcd = (more: Partial<Service>): Service => ({ id: "etcd", state: "Running", healthy: true, message: "", ...more });

  test.each([
    ["runs and is healthy", [etcd({})], []],
    ["is missing", [], ["cp-1: etcd is missing"]],
    [
      "waits",
      [etcd({ state: "Preparing", healthy: undefined, message: "Running pre state" })],
      ["cp-1: etcd is Preparing: Running pre state"],
    ],
    [
      "is unwell",
      [etcd({ healthy: false, message: "context deadline exceeded" })],
      ["cp-1: etcd is not healthy: context deadline exceeded"],
    ],
    ["has not been looked at", [etcd({ healthy: undefined })], ["cp-1: etcd runs, but its health is not known yet"]],
  ])("a service that %s", (_, services, expected) => {
    expect(serviceProblems([said(cp(1), services)], "etcd", "ETCD").map(({ message }) => message)).toEqual(expected);
  });
});

describe("2, members of etcd", () => {
  const member = (n: number, more: Partial<EtcdMember> = {}): EtcdMember => ({
    id: BigInt(n),
    hostname: `cp-${n}`,
    peerUrls: [`https://10.10.0.1${n}:2380`],
    isLearner: false,
    ...more,
  });

  test("the same members in any order are the same", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3], { minLength: 3 }), (order) => {
        const all = [member(1), member(2), member(3)];
        const other = order.map((n) => member(n));
        expect(memberDisagreements([said(cp(1), all), said(cp(2), other)])).toEqual([]);
      }),
    );
  });

  test("a disagreeing member is reported with both lists", () => {
    const asked = [said(cp(1), [member(1), member(2), member(3)]), said(cp(2), [member(1), member(2)])];
    expect(messages(memberDisagreements(asked))).toEqual([
      ["fail", "etcd members: cp-2 says 2 (cp-1, cp-2), cp-1 says 3 (cp-1, cp-2, cp-3)"],
    ]);
  });

  test("a learner is not the same as a voter, and an id not the same as another by that name", () => {
    const asked = [
      said(cp(1), [member(1), member(2)]),
      said(cp(2), [member(1), member(2, { isLearner: true })]),
      said(cp(3), [member(1), member(2, { id: 0xabcn })]),
    ];
    expect(messages(memberDisagreements(asked))).toEqual([
      ["fail", "etcd members: cp-2 says 2 (cp-1, cp-2 learning), cp-1 says 2 (cp-1, cp-2)"],
      ["fail", "etcd members: cp-3 says 2 (cp-1, cp-2 abc), cp-1 says 2 (cp-1, cp-2 2)"],
    ]);
  });

  const voters = [1, 2].map((n) => ({ name: `cp-${n}`, addresses: [`10.10.0.1${n}`, `fd00::1${n}`] }));

  test("3: members at addresses of control planes are those, of either family", () => {
    expect(strangeMembers([member(1), member(2, { peerUrls: ["https://[fd00::12]:2380"] })], voters)).toEqual([]);
  });

  test("3: a member at an unknown address is foreign; one with a node's name may have an address from a patch", () => {
    const elsewhere = ["https://10.99.0.2:2380"];
    expect(messages(strangeMembers([member(1), member(2), member(3, { peerUrls: elsewhere })], voters))).toEqual([
      ["fail", "etcd has the member cp-3 at 10.99.0.2, which is not a control plane of the config"],
    ]);
    expect(messages(strangeMembers([member(1), member(2, { peerUrls: elsewhere })], voters))).toEqual([
      ["warn", "etcd has the member cp-2 at 10.99.0.2, which is not its address in the config"],
    ]);
  });

  test("3: a control plane without a vote is named", () => {
    expect(messages(strangeMembers([member(1)], voters))).toEqual([["fail", "cp-2 is not a member of etcd"]]);
    expect(messages(strangeMembers([member(1), member(2, { isLearner: true })], voters))).toEqual([
      ["fail", "cp-2 is still a learner and has no vote in etcd"],
    ]);
  });

  test("an alarm is reported with the member's name", () => {
    expect(messages(etcdAlarms([{ member: 2n, alarm: "NOSPACE" }], [member(1), member(2)]))).toEqual([
      ["fail", "cp-2: etcd raises NOSPACE: its database is full, and it accepts no more writes"],
    ]);
  });
});

describe("5 and 6, sizes", () => {
  const memory = (node: AskedNode, mib: number, mode = "cloud") => said(node, { said: mib * MIB, mode });

  test("a control plane needs 1698 MiB, a worker 874; a container has its host's", () => {
    expect(tooLittleMemory([memory(cp(1), 1698), memory(worker, 874), memory(worker, 1, "container")])).toEqual([]);
    expect(messages(tooLittleMemory([memory(cp(1), 1697), memory(worker, 873)]))).toEqual([
      ["fail", "cp-1: 1697 MiB of memory; Talos needs 1698 MiB on a control plane"],
      ["fail", "worker-1: 873 MiB of memory; Talos needs 874 MiB on a worker"],
    ]);
  });

  test("EPHEMERAL needs what a disk of 6 GiB leaves it: 3932 MiB; a container has none", () => {
    const volume = (size: number): Resource => ({ id: "EPHEMERAL", version: "1", phase: "running", spec: { size } });
    const disk = (node: AskedNode, of: Resource | undefined, mode = "cloud") => said(node, { said: of, mode });
    expect(tooSmallDisks([disk(worker, volume(3932 * MIB))])).toEqual([]);
    expect(tooSmallDisks([disk(worker, undefined, "container")])).toEqual([]);
    expect(messages(tooSmallDisks([disk(worker, volume(3931 * MIB)), disk(cp(1), undefined)]))).toEqual([
      ["fail", "worker-1: 3931 MiB for the volume EPHEMERAL; Talos needs 3932 MiB"],
      ["fail", "cp-1: no space yet for the volume EPHEMERAL; Talos needs 3932 MiB"],
    ]);
  });
});

describe("7, 9 and 11, what nodes report", () => {
  const resource = (id: string, spec: Resource["spec"]): Resource => ({ id, version: "1", phase: "running", spec });

  test("7: a diagnosis is reported with its details and the page that explains it", () => {
    const spec = { message: "host and Kubernetes pod/service CIDR addresses overlap", details: ["10.244.0.0/16"] };
    expect(diagnoses([said(worker, [resource("address-overlap", spec)])])).toEqual([
      {
        level: "fail",
        code: "DIAGNOSTIC",
        message: "worker-1: host and Kubernetes pod/service CIDR addresses overlap (10.244.0.0/16)",
        hint: "https://talos.dev/diagnostic/address-overlap explains it",
      },
    ]);
  });

  test("9: only a running node has booted; another says what it waits for", () => {
    const status = (stage: string, unmet: { name: string; reason: string }[] = []) =>
      resource("machine", { stage, status: { ready: unmet.length === 0, unmetConditions: unmet } });
    expect(notBooted([said(cp(1), status("running"))])).toEqual([]);
    const waits = status("booting", [{ name: "services", reason: "etcd not healthy" }]);
    expect(messages(notBooted([said(cp(1), waits), said(worker, undefined)]))).toEqual([
      ["fail", "cp-1 is booting; services: etcd not healthy"],
      ["fail", "worker-1 is in an unknown stage"],
    ]);
  });

  test("11: a static pod is known by the beginning of its id", () => {
    const pods = ["kube-apiserver", "kube-scheduler"].map((name) => resource(`kube-system/${name}-cp-1`, {}));
    const programs = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"];
    expect(messages(missingStaticPods([said(cp(1), pods)], programs))).toEqual([
      ["fail", "cp-1 does not run kube-controller-manager"],
    ]);
  });
});

describe("clocks", () => {
  const read = (local: number) => said(worker, { local, before: 1_000_000, after: 1_004_000 });

  test("a clock may be off by a minute, and what the call took is in its favour", () => {
    for (const local of [940_000, 1_002_000, 1_064_000]) expect(wrongClocks([read(local)])).toEqual([]);
    expect(messages(wrongClocks([read(939_000), read(1_065_000)]))).toEqual([
      ["fail", "worker-1: its clock is 61 s behind this computer's"],
      ["fail", "worker-1: its clock is 61 s ahead of this computer's"],
    ]);
  });

  test("a node that reaches no time server is warned about", () => {
    // TimeCheck of Talos 1.14 when its query fails.
    const message = 'worker-1: Unknown: error querying NTP server "time.cloudflare.com": i/o timeout';
    const unseen: Asked<never> = { node: worker, is: "unseen", why: { level: "fail", code: "TALOS_UNAVAILABLE", message } };
    expect(wrongClocks([unseen])).toMatchObject([{ level: "warn", code: "TIME_SERVER", message }]);
  });
});
