import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { remoteError } from "@talosmith/lib/errors.ts";
import { describe, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import type { AddonPart, Manifest } from "../../catalog/addons/addon.ts";
import { changesOf, errorsOf, makePlan } from "../../engine/plan.ts";
import { runPlan } from "../../engine/run.ts";
import type { ConfigMap, KubernetesObject, Secret } from "../../kubernetes/objects.ts";
import { ageKeyFile } from "../generate/age-key.ts";
import { addons } from "./addons.ts";
import { MemoryCluster } from "./testing/memory-cluster.ts";
import { addonOf, errorOf, fieldsOf, HELLO, objects, plan, up } from "./testing/own-addon.ts";
import { CILIUM, done, testCluster } from "./testing/test-cluster.ts";

const WEB: Manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "web", labels: { tier: "front" } } };
const GADGETS: Manifest = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.example.org" },
  spec: { group: "example.org", names: { kind: "Gadget" }, versions: [{ name: "v1" }] },
};
const GADGET: Manifest = { apiVersion: "example.org/v1", kind: "Gadget", metadata: { name: "one", namespace: "web" } };

/** The server establishes a CRD a moment after it was applied, and then knows its kind. */
function establishing(kube: MemoryCluster): void {
  kube.unknown.add("Gadget");
  kube.onCall = (what, when) => {
    if (when !== "after" || what !== "list CustomResourceDefinition") return;
    for (const one of kube.all("CustomResourceDefinition")) {
      kube.put({ ...one, status: { conditions: [{ type: "Established", status: "True" }] } } as KubernetesObject);
      kube.unknown.delete("Gadget");
    }
  };
}

describe("the plan", () => {
  test("of objects that are not there creates them", async () => {
    expect(fieldsOf(await plan(new MemoryCluster(), [addonOf(objects(HELLO))]))).toEqual([
      ["create own/files", ["objects", null, "ConfigMap web/hello"]],
    ]);
  });

  test("shows the changed fields of an object with old and new values, and ignores fields of other managers", async () => {
    const kube = new MemoryCluster();
    await up(kube, [addonOf(objects(HELLO))]);
    kube.put({
      ...kube.all<ConfigMap>("ConfigMap").find(({ metadata }) => metadata.name === "hello"),
      data: { greeting: "bye", by: "me" },
    } as ConfigMap);
    expect(fieldsOf(await plan(kube, [addonOf(objects(HELLO))]))).toEqual([
      ["update own/files", ["ConfigMap web/hello data.greeting", "bye", "hello"]],
    ]);
  });

  test("of a Secret says only that it differs", async () => {
    const kube = new MemoryCluster();
    const secret = (text: string): Manifest => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "default" },
      stringData: { word: text },
    });
    await up(kube, [addonOf(objects(secret("hunter2-hunter2")))]);
    expect(kube.all<Secret>("Secret")[0]?.data).toEqual({ word: Buffer.from("hunter2-hunter2").toString("base64") });
    const made = await plan(kube, [addonOf(objects(secret("other-secret")))]);
    expect(changesOf(made)[0]?.fields).toEqual([
      { path: "Secret default/s data.word", from: "(secret)", to: "(secret)", secret: true },
    ]);
    expect(fieldsOf(await plan(kube, [addonOf(objects(secret("hunter2-hunter2")))]))).toEqual([]);
  });

  test("waits for a step before it that may bring the kind, and without one counts the object as absent", async () => {
    const kube = new MemoryCluster();
    kube.unknown.add("Gadget");
    const made = await plan(kube, [addonOf({ ...CILIUM, name: "own", namespace: "default" }, objects(GADGET))]);
    expect(changesOf(made)[1]).toMatchObject({ subject: "own/files", fields: [{ from: { later: "addon/own" } }] });
    expect(fieldsOf(await plan(kube, [addonOf(objects(GADGET))]))).toEqual([
      ["create own/files", ["objects", null, "Gadget web/one"]],
    ]);
  });

  test("of an unchanged part takes two calls for each object and a few lists for all", async () => {
    const kube = new MemoryCluster();
    const all = [
      addonOf(objects(HELLO), {
        kind: "objects",
        name: "more",
        objects: [{ ...HELLO, metadata: { name: "b", namespace: "web" } }],
      }),
    ];
    await up(kube, all);
    kube.asked.length = 0;
    expect(fieldsOf(await plan(kube, all))).toEqual([]);
    expect([...kube.asked].sort()).toEqual([
      ...["get ConfigMap", "get ConfigMap", "list ClusterRoleBinding", "list ConfigMap", "list Node", "list Secret"],
      ...["try ConfigMap", "try ConfigMap"],
    ]);
  });

  test("of an object that Flux sees to leaves it alone and says so", async () => {
    const kube = new MemoryCluster();
    const labels = { "kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux-system" };
    kube.put({ ...HELLO, metadata: { name: "hello", namespace: "web", labels }, data: {} } as unknown as KubernetesObject);
    const made = await plan(kube, [addonOf(objects(HELLO))]);
    expect(changesOf(made)).toEqual([]);
    expect(made.planned.flatMap(({ findings }) => findings.map(({ message }) => message))).toEqual([
      "ConfigMap web/hello is managed by Flux (Kustomization flux-system/apps): left unchanged",
    ]);
  });
});

describe("up", () => {
  test("applies namespaces first, then definitions, and the rest when they are established, in whatever order they are written", async () => {
    const kube = new MemoryCluster();
    establishing(kube);
    const order: string[] = [];
    kube.onApply = ({ kind }) => order.push(kind);
    const all = [addonOf(objects(GADGET, GADGETS, HELLO, WEB))];
    expect(errorOf(await up(kube, all))).toBeUndefined();
    expect(order.filter((kind, index) => order.indexOf(kind) === index)).toEqual([
      "ConfigMap",
      "Namespace",
      "CustomResourceDefinition",
      "Gadget",
    ]);
    expect(fieldsOf(await plan(kube, all))).toEqual([]);
  });

  test("creates a missing namespace, and not again when another part did meanwhile", async () => {
    const kube = new MemoryCluster();
    const both = [addonOf(objects(HELLO)), { ...addonOf(objects(WEB)), name: "later", tier: "charts" as const }];
    expect(errorOf(await up(kube, both))).toBeUndefined();
    expect(kube.all("Namespace")[0]?.metadata.labels).toEqual({ tier: "front" });
    expect(fieldsOf(await plan(kube, both))).toEqual([]);
  });

  test("tries again while a webhook does not answer yet", async () => {
    const kube = new MemoryCluster();
    let refusals = 3;
    kube.onApply = ({ metadata }) => {
      if (metadata.name !== "hello" || refusals-- <= 0) return;
      throw remoteError("KUBERNETES_REFUSED", {
        message: "failed calling webhook",
        detail: "no endpoints available",
        transient: true,
      });
    };
    expect(errorOf(await up(kube, [addonOf(objects(HELLO))]))).toBeUndefined();
    expect(refusals).toBeLessThan(0);
  });

  test("gives up on an undefined kind, with a hint", async () => {
    const kube = new MemoryCluster();
    kube.unknown.add("Gadget");
    expect(errorOf(await up(kube, [addonOf(objects(GADGET))], [], testSession({ timeScale: 100_000 })))).toMatchObject({
      code: "KIND_UNKNOWN",
      hint: expect.stringContaining("install the CRD that defines it first"),
    });
  });

  test("killed before or after any call, the next run finishes", async () => {
    const all = [addonOf(objects(GADGET, GADGETS, HELLO, WEB))];
    const calm = new MemoryCluster();
    establishing(calm);
    await up(calm, all);
    for (let at = 0; at < calm.asked.length; at++) {
      const kube = new MemoryCluster();
      establishing(kube);
      const { onCall } = kube;
      kube.onCall = (what, when) => {
        if (kube.asked.length > at) throw new Error("killed");
        onCall(what, when);
      };
      await up(kube, all).catch(() => {});
      kube.onCall = onCall;
      expect(errorOf(await up(kube, all))).toBeUndefined();
      expect(fieldsOf(await plan(kube, all))).toEqual([]);
    }
  });
});

describe("the age key", () => {
  const part: AddonPart = {
    kind: "age-key",
    name: "age",
    secret: { namespace: "flux-system", name: "sops-age", key: "age.agekey" },
  };

  test("is put into its Secret unchanged, and into no output", async () => {
    const kube = new MemoryCluster();
    const session = testSession();
    session.world.files.makeFolder("/e", 0o700);
    const cluster = testCluster(kube, "none", undefined, [addonOf(part)]);
    const file = ageKeyFile(cluster.env, session.redactor);
    const items = [...done(cluster), ...file, ...addons(cluster.env, kube, cluster.found)];
    const made = await makePlan(items, session);
    expect(changesOf(made).map(({ verb, subject }) => `${verb} ${subject}`)).toEqual(["create age.agekey", "create own/age"]);
    expect(errorOf(await runPlan(made, session))).toBeUndefined();
    const text = Buffer.from(session.world.files.read("/e/age.agekey") ?? []).toString();
    const data = kube.find<Secret>({ apiVersion: "v1", kind: "Secret", namespace: "flux-system", name: "sops-age" })?.data;
    expect(Buffer.from(data?.["age.agekey"] ?? "", "base64").toString()).toBe(text);
    expect(changesOf(await makePlan(items, session))).toEqual([]);
    const told = JSON.stringify(session.events);
    for (const secret of [text.split("\n")[2] ?? "?", data?.["age.agekey"] ?? "?"]) expect(told).not.toContain(secret);
  });
});

describe("a download", () => {
  const TEXT = `${JSON.stringify(WEB)}\n---\n# nothing\n---\napiVersion: v1\nkind: List\nitems:\n- ${JSON.stringify(HELLO)}\n`;

  async function served<T>(work: (url: string, asked: () => number) => Promise<T>): Promise<T> {
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      response.end(TEXT);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x.yaml`, () => asked);
    } finally {
      server.close();
    }
  }

  test("is fetched once by a command, checked, and applied with the lists in it opened", async () => {
    await served(async (url, asked) => {
      const kube = new MemoryCluster();
      const sha256 = createHash("sha256").update(TEXT).digest("hex");
      expect(errorOf(await up(kube, [addonOf({ kind: "download", name: "x", url, sha256 })]))).toBeUndefined();
      expect(kube.find({ apiVersion: "v1", kind: "ConfigMap", namespace: "web", name: "hello" })).toMatchObject({
        data: { greeting: "hello" },
      });
      expect(asked()).toBe(1);
    });
  });

  test("of another hash than the config says is refused", async () => {
    await served(async (url) => {
      const made = await plan(new MemoryCluster(), [addonOf({ kind: "download", name: "x", url, sha256: "00" })]);
      expect(errorsOf(made)).toMatchObject([{ code: "MANIFEST_CHANGED" }]);
    });
  });
});
