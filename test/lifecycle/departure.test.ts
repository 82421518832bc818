import type { FaultRule } from "@talosmith/lab/kernel/kernel.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { KubernetesObject, Node } from "../../src/kubernetes/objects.ts";
import { ALL_STAGES } from "../../src/workflows/stages.ts";
import { type Insider, insiderWith } from "../support/cluster.ts";
import type { ConfigWishes } from "../support/config.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { clusterViolations, talosInside } from "./cluster-invariants.ts";
import { type CrashPoint, goldenRun } from "./crash-points.ts";
import { said, text } from "./invariants.ts";
import { FULL } from "./sample.ts";
import { FOLDER, type Outcome, Scene } from "./scene.ts";
import { expectNoViolations } from "./violation.ts";
import { eventually, isReady, labels, webPods, withWeb } from "./web.ts";

/*
 * Nodes leave a running cluster before their machines are removed, and no restart breaks etcd's quorum:
 * docs/adr/0049-taking-a-node-out-of-service.md.
 */

/** Moments at which a machine was just switched off. */
const KEPT = { each: 3, worth: (label: string) => label === "machine × shut down … × after" };

const { signal } = new AbortController();
const open: { close(): void }[] = [];

class Standing {
  scene: Scene;
  folder: VolatileFiles;
  at: string;

  private constructor(scene: Scene, folder: VolatileFiles, at: string) {
    this.scene = scene;
    this.folder = folder;
    this.at = at;
  }

  static async make(seed: string, wishes: ConfigWishes): Promise<Standing> {
    const scene = await Scene.open(seed, { cluster: true });
    const folder = scene.folder(wishes);
    const made = await scene.up(folder, { stages: ALL_STAGES });
    expect(made.exitCode, said(made)).toBe(0);
    return new Standing(scene, folder, scene.lab.snapshot());
  }

  /** Restores the created cluster, with another config. */
  again(wishes: ConfigWishes): VolatileFiles {
    this.scene.lab.setFaults([]);
    this.scene.lab.restore(this.at);
    const files = this.folder.afterKill();
    this.scene.configure(files, wishes);
    return files;
  }

  up(files: VolatileFiles, ...allowRemove: string[]): Promise<Outcome> {
    return this.scene.up(files, { stages: ALL_STAGES, allowRemove });
  }

  insider(files: VolatileFiles): Insider {
    const made = insiderWith(text(files, `${FOLDER}/secrets.yaml`) ?? "", `${this.scene.at.block}.11`);
    open.push(made);
    return made;
  }

  async names(): Promise<string> {
    return (await this.scene.root.vms())
      .map((vm) => vm.config.name)
      .sort()
      .join(" ");
  }
}

afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const nodeNames = async ({ kubernetes }: Insider): Promise<string[]> =>
  (await kubernetes.list<Node>({ apiVersion: "v1", kind: "Node" }, signal)).map(({ metadata }) => metadata.name).sort();
describe("a worker", () => {
  let standing: Standing;
  beforeAll(async () => {
    standing = await Standing.make("departure", { workers: 2 });
  });
  afterAll(() => standing.scene.close());

  test("is drained, deleted from Kubernetes and removed; then the plan is empty", async () => {
    const files = standing.again({ workers: 1 });
    const cluster = standing.insider(files);
    await withWeb(cluster);
    expect((await webPods(cluster)).some((pod) => pod.spec?.nodeName === "worker-2")).toBe(true);
    const refused = await standing.up(files);
    expect(refused.events.filter((event) => event.type === "error")).toHaveLength(1);
    expect(said(refused)).toContain("CONSENT_NEEDED: machine worker-2 is no longer in the config");
    const outcome = await standing.up(files, "worker-2");
    expect(outcome.exitCode, said(outcome)).toBe(0);
    const evictions = outcome.events.flatMap((event) => (event.type === "mutation.intent" ? [event.what] : []));
    expect(evictions.filter((what) => what.startsWith("evict pod default/web-"))).toHaveLength(1);
    expect(await nodeNames(cluster)).toEqual(["cp-1", "worker-1"]);
    expect((await webPods(cluster)).map((pod) => pod.spec?.nodeName)).toEqual(["worker-1", "worker-1"]);
    expect(await standing.names()).toBe("cp-1 worker-1");
    expectNoViolations(await clusterViolations(standing.scene, files, undefined));
  });

  test("stays when a disruption budget protects its pod, and the error names the pod and the budget", async () => {
    const files = standing.again({ workers: 1 });
    const cluster = standing.insider(files);
    await withWeb(cluster);
    const budget = { minAvailable: 2, selector: { matchLabels: labels } };
    const metadata = { name: "web-budget", namespace: "default" };
    await cluster.kubernetes.create(
      { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec: budget } as KubernetesObject,
      signal,
    );
    const outcome = await standing.up(files, "worker-2");
    expect([outcome.exitCode, said(outcome)]).toEqual([
      1,
      expect.stringMatching(
        /DRAIN: .*default\/web-\S+ cannot be evicted yet: The disruption budget web-budget needs 2 healthy pods/,
      ),
    ]);
    expect(await standing.names()).toBe("cp-1 worker-1 worker-2");
    await cluster.kubernetes.delete({ apiVersion: "policy/v1", kind: "PodDisruptionBudget", ...metadata }, {}, signal);
    const again = await standing.up(files, "worker-2");
    expect(again.exitCode, said(again)).toBe(0);
  });

  test("stays when it has a pod without a controller", async () => {
    const files = standing.again({ workers: 1 });
    const cluster = standing.insider(files);
    const spec = { nodeName: "worker-2", containers: [{ name: "main", image: "nginx" }] };
    await cluster.kubernetes.create(
      { apiVersion: "v1", kind: "Pod", metadata: { name: "alone", namespace: "default" }, spec } as KubernetesObject,
      signal,
    );
    const outcome = await standing.up(files, "worker-2");
    expect([outcome.exitCode, said(outcome)]).toEqual([1, expect.stringContaining("pod default/alone has no controller")]);
    expect(await nodeNames(cluster)).toContain("worker-2");
    expect(await standing.names()).toContain("worker-2");
  });

  test("that is switched off is removed without a drain", async () => {
    const files = standing.again({ workers: 1 });
    const cluster = standing.insider(files);
    await withWeb(cluster);
    const vm = (await standing.scene.root.vms()).find((one) => one.config.name === "worker-2");
    await standing.scene.root.task("POST", `/nodes/${vm?.node}/qemu/${vm?.vmid}/status/stop`);
    const outcome = await standing.up(files, "worker-2");
    expect(outcome.exitCode, said(outcome)).toBe(0);
    const notes = outcome.events.flatMap((event) => (event.type === "step.finding" ? [event.finding.code] : []));
    expect(notes).toContain("NOT_DRAINED");
    expect(await nodeNames(cluster)).toEqual(["cp-1", "worker-1"]);
    await eventually("web runs on worker-1", async () =>
      (await webPods(cluster)).every((pod) => pod.spec?.nodeName === "worker-1" && isReady(pod)),
    );
  });

  describe("that reboots for its new config", () => {
    const again = () =>
      standing.again({ workers: 2, extra: `patches: { all: [{ machine: { udev: { rules: ['KERNEL=="x"'] } } }] }\n` });
    const faultsAt = (site: string) =>
      standing.scene.lab.recorder.calls().flatMap((call) => (call.site.endsWith(site) ? [call.fault] : []));

    /** Runs up with that fault; afterwards the plan is empty, and every node accepts pods. */
    async function upWith(rule: FaultRule): Promise<void> {
      const { lab } = standing.scene;
      const files = again();
      lab.recorder.clear();
      lab.setFaults([rule]);
      const outcome = await standing.up(files);
      expect(outcome.exitCode, said(outcome)).toBe(0);
      lab.setFaults([]);
      expectNoViolations(await clusterViolations(standing.scene, files, undefined));
    }

    test("reboots once, although the response was lost", async () => {
      await upWith({ service: "talos", site: "*/Reboot", fault: { kind: "cut-after" } });
      expect(faultsAt("/Reboot")).toEqual(["cut-after", "cut-after", "cut-after"]);
    });

    test("is uncordoned, although Kubernetes was busy at the first attempt", async () => {
      const busy = { kind: "refuse", status: 503, message: "the server is currently unable to handle the request" } as const;
      await upWith({ service: "kubernetes", site: "PATCH */nodes/:name", occurrence: 2, fault: busy });
      expect(faultsAt("/nodes/:name").filter(Boolean)).toEqual(["refuse"]);
    });
  });

  test("with another address is removed and joins again", async () => {
    const moved = `  - { name: worker-2, role: worker, ip: ${standing.scene.at.block}.29 }\n`;
    const files = standing.again({
      workers: 0,
      extra: `  - { name: worker-1, role: worker, ip: ${standing.scene.at.block}.21 }\n${moved}`,
    });
    const cluster = standing.insider(files);
    await withWeb(cluster);
    const outcome = await standing.up(files, "worker-2");
    expect(outcome.exitCode, said(outcome)).toBe(0);
    const { kubernetes } = cluster;
    const node = await kubernetes.get<Node>({ apiVersion: "v1", kind: "Node", name: "worker-2" }, signal);
    expect(node?.status?.addresses?.[0]?.address).toBe(`${standing.scene.at.block}.29`);
    expect(node?.spec?.unschedulable).toBeUndefined();
    expectNoViolations(await clusterViolations(standing.scene, files, undefined));
  });

  test("that becomes a control plane is removed first and then joins etcd", async () => {
    const { block } = standing.scene.at;
    const files = standing.again({
      workers: 1,
      extra: `  - { name: worker-2, role: controlplane, ip: ${block}.22 }\n`,
    });
    const outcome = await standing.up(files, "worker-2");
    expect(outcome.exitCode, said(outcome)).toBe(0);
    expectNoViolations(await clusterViolations(standing.scene, files, undefined));
  });

  test("the only control plane is renamed only when allowed, and the loss of etcd data is announced", async () => {
    const { block } = standing.scene.at;
    const files = standing.again({ workers: 2 });
    const config = text(files, `${FOLDER}/config.yaml`) ?? "";
    const renamed = `  - { name: first, role: controlplane, ip: ${block}.11 }\n`;
    files.write(`${FOLDER}/config.yaml`, Buffer.from(config.replace(/ {2}- \{ name: cp, .*\n/, renamed)), 0o644);
    const refused = await standing.up(files);
    expect([refused.exitCode, said(refused)]).toEqual([1, expect.stringContaining("everything in the cluster would be lost")]);
    const outcome = await standing.up(files, "cp-1");
    expect(outcome.exitCode, said(outcome)).toBe(0);
    expect(await standing.names()).toBe("first worker-1 worker-2");
  });

  test("the only control plane is replaced only when allowed, and the loss of etcd data is announced", async () => {
    const files = standing.again({ workers: 2, offset: 0 });
    const config = text(files, `${FOLDER}/config.yaml`) ?? "";
    const { block } = standing.scene.at;
    files.write(`${FOLDER}/config.yaml`, Buffer.from(config.replace(`ip: ${block}.11`, `ip: ${block}.12`)), 0o644);
    const refused = await standing.up(files);
    expect([refused.exitCode, said(refused)]).toEqual([1, expect.stringContaining("everything in the cluster would be lost")]);
    const outcome = await standing.up(files, "cp-1");
    expect(outcome.exitCode, said(outcome)).toBe(0);
    expect(talosInside(standing.scene).bootstraps).toHaveLength(2);
  });
});

describe("control planes", () => {
  let standing: Standing;
  beforeAll(async () => {
    standing = await Standing.make("departure-etcd", { controlPlanes: 3, workers: 0 });
  });
  afterAll(() => standing.scene.close());

  interface Etcd {
    members: { name: string; learner: boolean }[];
  }
  const members = () =>
    (Object.values(talosInside(standing.scene).etcd) as Etcd[]).map((one) => one.members.map(({ name }) => name).sort());

  test("one of three leaves etcd before its machine is removed", async () => {
    const files = standing.again({ controlPlanes: 2, workers: 0 });
    const outcome = await standing.up(files, "cp-3");
    expect(outcome.exitCode, said(outcome)).toBe(0);
    expect(members()).toEqual([["cp-1", "cp-2"]]);
    expect(await standing.names()).toBe("cp-1 cp-2");
    expect(await nodeNames(standing.insider(files))).toEqual(["cp-1", "cp-2"]);
    expectNoViolations(await clusterViolations(standing.scene, files, undefined));
  });

  test("one that is switched off is removed from etcd by another", async () => {
    const files = standing.again({ controlPlanes: 2, workers: 0 });
    const vm = (await standing.scene.root.vms()).find((one) => one.config.name === "cp-3");
    await standing.scene.root.task("POST", `/nodes/${vm?.node}/qemu/${vm?.vmid}/status/stop`);
    const outcome = await standing.up(files, "cp-3");
    expect(outcome.exitCode, said(outcome)).toBe(0);
    expect(members()).toEqual([["cp-1", "cp-2"]]);
  });

  test("none leaves while another one does not answer", async () => {
    const files = standing.again({ controlPlanes: 2, workers: 0 });
    standing.scene.lab.setFaults([{ service: "talos", resource: "*cp-2*", fault: { kind: "cut-before" } }]);
    const outcome = await standing.scene.up(files, { allowRemove: ["cp-3"] });
    expect([outcome.exitCode, said(outcome)]).toEqual([1, expect.stringMatching(/QUORUM: .*cp-3 cannot leave now/)]);
    expect(members()).toEqual([["cp-1", "cp-2", "cp-3"]]);
    expect(await standing.names()).toBe("cp-1 cp-2 cp-3");
  });

  test("two of three are replaced one after the other, without data loss", async () => {
    const files = standing.again({ controlPlanes: 3, workers: 0 });
    const config = text(files, `${FOLDER}/config.yaml`) ?? "";
    const { block } = standing.scene.at;
    const cluster = standing.insider(files);
    await cluster.kubernetes.create(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "kept" } } as KubernetesObject,
      signal,
    );
    const nodes = [11, 42, 43].map((last, at) => `  - { name: cp-${at + 1}, role: controlplane, ip: ${block}.${last} }\n`);
    files.write(`${FOLDER}/config.yaml`, Buffer.from(config.replace(/ {2}- \{ name: cp, .*\n/, nodes.join(""))), 0o644);
    const outcome = await standing.up(files, "cp-2", "cp-3");
    expect(outcome.exitCode, said(outcome)).toBe(0);
    expect(members()).toEqual([["cp-1", "cp-2", "cp-3"]]);
    expectNoViolations(await clusterViolations(standing.scene, files, undefined));
    const of = { apiVersion: "v1", kind: "Namespace", name: "kept" };
    expect(await cluster.kubernetes.get(of, signal)).toBeDefined();
  });

  /** The lowest number of healthy etcd members at any moment during the work. */
  async function fewestDuring(work: () => Promise<void>): Promise<number> {
    interface Machine {
      boot?: { services: Record<string, { healthy?: boolean }> };
    }
    let fewest = 3;
    const look = () => {
      const { machines } = standing.scene.lab.state<{ machines: Record<string, Machine> }>("talos");
      const healthy = Object.values(machines).filter(({ boot }) => boot?.services.etcd?.healthy === true).length;
      fewest = Math.min(fewest, healthy);
    };
    const watch = setInterval(look, 2);
    const { onAnswer } = standing.scene;
    standing.scene.onAnswer = () => {
      look();
      onAnswer?.();
    };
    try {
      await work();
    } finally {
      clearInterval(watch);
      standing.scene.onAnswer = onAnswer;
    }
    return fewest;
  }

  test("with more memory restart one by one, interrupted or not: two of three always have a healthy etcd", async () => {
    const files = standing.again({ controlPlanes: 3, workers: 0, memory: "6GiB" });
    standing.scene.lab.recorder.clear();
    let points: CrashPoint[] = [];
    const fewest = await fewestDuring(async () => {
      const golden = await goldenRun(standing.scene, files, () => standing.up(files), KEPT);
      expect(golden.outcome.exitCode, said(golden.outcome)).toBe(0);
      points = golden.points;
    });
    expect(fewest).toBe(2);
    expectNoViolations(await clusterViolations(standing.scene, files, undefined));
    expect(points).toHaveLength(3);
    for (const point of FULL ? points : points.slice(1, 2)) {
      standing.scene.lab.restore(point.lab);
      const left = point.killed.afterKill();
      const after = await fewestDuring(async () => {
        const again = await standing.up(left);
        expect(again.exitCode, said(again)).toBe(0);
      });
      expect(after).toBe(2);
    }
  });
});
