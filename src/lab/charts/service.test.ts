import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { realWorld } from "../../lib/world/real.ts";
import type { RunningLab } from "../kernel/kernel.ts";
import { createLab } from "../kernel/lab.ts";
import { CILIUM_VERSIONS, ciliumChart } from "./cilium/chart.ts";
import { packChart } from "./repository.ts";
import { chartsService } from "./service.ts";

let lab: RunningLab;
beforeEach(async () => {
  lab = await createLab(realWorld(), { seed: "s", timeScale: "instant", services: [chartsService()] });
  await lab.start();
});
afterEach(() => lab.close());

const ask = (path: string) => fetch(`${lab.published().charts?.url}${path}`, { headers: { connection: "close" } });

test("it listens where it says: host 3 of the block, port 8081", () => {
  expect(lab.published()).toEqual({ charts: { url: `http://${lab.address.prefix}.3:8081` } });
});

test("the index names every version of Cilium, newest first, with the digest of what can be fetched", async () => {
  const index = parse(await (await ask("/index.yaml")).text());
  expect(index.entries.cilium.map((entry: { version: string }) => entry.version)).toEqual(["1.20.1", "1.19.7", "1.17.3"]);
  for (const { urls, digest } of index.entries.cilium) {
    const bytes = Buffer.from(await (await ask(`/${urls[0]}`)).arrayBuffer());
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(digest);
  }
});

test("an archive has the same bytes every time", () => {
  for (const version of CILIUM_VERSIONS) {
    expect(packChart(ciliumChart(version)).bytes.equals(packChart(ciliumChart(version)).bytes)).toBe(true);
  }
});

test("what is not there is 404", async () => {
  expect((await ask("/nothing-1.0.0.tgz")).status).toBe(404);
});
