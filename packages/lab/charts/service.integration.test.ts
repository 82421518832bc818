import { createHash } from "node:crypto";
import { get } from "node:http";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { RunningLab } from "../kernel/kernel.ts";
import { createLab } from "../kernel/lab.ts";
import { meetsFaults } from "../kernel/testing/fault-contract.ts";
import { heardFrom } from "../kernel/testing/stranger.ts";
import { everyVersion } from "./all.ts";
import { refusals } from "./refusals.ts";
import { packChart } from "./repository.ts";
import { chartsService } from "./service.ts";

let lab: RunningLab;
beforeEach(async () => {
  lab = await createLab(realWorld({ timeScale: 1 }), { seed: "s", timeScale: "instant", services: [chartsService()] });
  await lab.start();
});
afterEach(() => lab.close());

const ask = (path: string) => fetch(`${lab.published().charts?.url}${path}`, { headers: { connection: "close" } });

test("it listens where it says: host 3 of the block, port 8081", () => {
  expect(lab.published()).toEqual({ charts: { url: `http://${lab.address.prefix}.3:8081` } });
});

test("the index names every version of Cilium, newest first, with the digest of what can be fetched", async () => {
  const index = parse(await (await ask("/index.yaml")).text());
  expect(index.entries.cilium.map((entry: { version: string }) => entry.version)).toEqual([
    "1.20.2",
    "1.20.1",
    "1.19.7",
    "1.17.3",
  ]);
  for (const { urls, digest } of index.entries.cilium) {
    const bytes = Buffer.from(await (await ask(`/${urls[0]}`)).arrayBuffer());
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(digest);
  }
});

test("an archive has the same bytes every time", () => {
  for (const { files } of everyVersion().slice(0, 3)) expect(packChart(files).bytes.equals(packChart(files).bytes)).toBe(true);
});

test("what is not there is 404", async () => {
  expect((await ask("/nothing-1.0.0.tgz")).status).toBe(404);
});

describe("the registry", () => {
  const ask = (path: string, method = "GET") =>
    fetch(`${lab.published().charts?.url}${path}`, { method, headers: { connection: "close" } });

  test("gives a chart by its version: a manifest with Helm's media types, and the archive it names", async () => {
    const answer = await ask("/v2/charts/cert-manager/manifests/v1.21.2");
    expect(answer.headers.get("content-type")).toBe("application/vnd.oci.image.manifest.v1+json");
    const { config, layers } = (await answer.json()) as {
      config: { mediaType: string };
      layers: { mediaType: string; digest: string }[];
    };
    expect([config.mediaType, layers.map(({ mediaType }) => mediaType)]).toEqual([
      "application/vnd.cncf.helm.config.v1+json",
      ["application/vnd.cncf.helm.chart.content.v1.tar+gzip"],
    ]);
    const blob = Buffer.from(await (await ask(`/v2/charts/cert-manager/blobs/${layers[0]?.digest}`)).arrayBuffer());
    expect(`sha256:${createHash("sha256").update(blob).digest("hex")}`).toBe(layers[0]?.digest);
  });

  test("lists a chart's versions as tags", async () => {
    expect(await (await ask("/v2/charts/metrics-server/tags/list")).json()).toEqual({
      name: "charts/metrics-server",
      tags: ["3.13.0", "3.13.1"],
    });
  });

  test("says what it does not know as the distribution specification has it", async () => {
    const version = await ask("/v2/charts/cert-manager/manifests/v9.9.9");
    expect([version.status, ((await version.json()) as { errors: { code: string }[] }).errors[0]?.code]).toEqual([
      404,
      "MANIFEST_UNKNOWN",
    ]);
    const chart = await ask("/v2/charts/nothing/tags/list");
    expect([chart.status, ((await chart.json()) as { errors: { code: string }[] }).errors[0]?.code]).toEqual([
      404,
      "NAME_UNKNOWN",
    ]);
  });
});

test("under a name of the world outside only the charts of that place are found", async () => {
  const at = (host: string, path: string) =>
    new Promise<number>((done, failed) => {
      const { hostname, port } = new URL(lab.published().charts?.url ?? "");
      get({ host: hostname, port, path, headers: { host, connection: "close" } }, (answer) => {
        answer.resume();
        done(answer.statusCode ?? 0);
      }).on("error", failed);
    });
  expect(await at("kubernetes-sigs.github.io", "/metrics-server/index.yaml")).toBe(200);
  expect(await at("kubernetes-sigs.github.io", "/index.yaml")).toBe(404);
  expect(await at("quay.io", "/v2/jetstack/charts/cert-manager/tags/list")).toBe(200);
  expect(await at("quay.io", "/v2/jetstack/cert-manager/tags/list")).toBe(404);
});

test("every fault does to a call what it says", async () => {
  const url = lab.published().charts?.url ?? "";
  const call = { service: "charts", site: "GET /index.yaml", make: () => heardFrom(`${url}/index.yaml`) };
  await meetsFaults(lab, call, refusals["too-many-requests"]);
  const missing = { service: "charts", site: "GET /:file", make: () => heardFrom(`${url}/none.tgz`) };
  await meetsFaults(lab, missing, refusals.unavailable);
});
