import { afterEach, beforeEach, expect, test } from "vitest";
import { FOLDER, Scene } from "../../test/lifecycle/scene.ts";
import { testSession } from "../../test/support/toy.ts";
import type { VolatileFiles } from "../../test/support/volatile-files.ts";
import type { TableResult } from "../engine/result.ts";
import { reportView } from "../views/report-view.ts";
import { pruneImages, showImages } from "./images.ts";

let scene: Scene;
let files: VolatileFiles;
beforeEach(async () => {
  scene = await Scene.open("images", { buildMs: 0 });
  files = scene.folder({ workers: 0 });
});
afterEach(() => scene.close());

const session = () => testSession({ files, env: { LAB_TOKEN: scene.at.token } });

async function shown(): Promise<TableResult> {
  const asking = session();
  expect(await showImages(asking, FOLDER)).toBe(0);
  const [table] = asking.events.flatMap((event) =>
    event.type === "result" && event.result.kind === "table" ? event.result : [],
  );
  if (!table) throw new Error("no table");
  return table;
}

async function pruned(all: boolean, agreed = true): Promise<{ exitCode: number; summary: string; changes: string[] }> {
  const doing = session();
  const exitCode = await pruneImages(doing, FOLDER, { all, confirm: async () => agreed }, reportView());
  const ended = doing.events.find((event) => event.type === "run.finished");
  return {
    exitCode,
    summary: ended?.type === "run.finished" ? ended.summary : "",
    changes: doing.events.flatMap((event) =>
      event.type === "result" && event.result.kind === "plan"
        ? event.result.changes.map(({ verb, subject }) => `${verb} ${subject}`)
        : [],
    ),
  };
}

const IMAGE = "talos-v1.13.9-amd64-37656798";

test("images of the config stay; after down --prune --all removes them", async () => {
  expect((await scene.up(files)).exitCode).toBe(0);
  expect(await shown()).toMatchObject({ rows: [{ name: IMAGE, kind: "image", where: "pve1:local", use: "this config" }] });
  expect(await pruned(false)).toEqual({ exitCode: 0, summary: "nothing to remove: all 1 are in use", changes: [] });
  const down = await scene.down(files);
  expect(down.events.find((event) => event.type === "run.finished")).toMatchObject({
    summary: expect.stringContaining(`talosmith images ${FOLDER} --prune --all`),
  });
  await scene.root.call("PUT", "/access/acl", { path: "/storage/local", users: "talosmith@pve", roles: "PVEDatastoreAdmin" });
  const removal = [`delete image ${IMAGE} on pve1:local`];
  expect(await pruned(true, false)).toEqual({ exitCode: 1, summary: "not confirmed: nothing was changed", changes: removal });
  expect(await pruned(true)).toEqual({ exitCode: 0, summary: "1 of 1 removed", changes: removal });
  expect(await shown()).toMatchObject({ rows: [], empty: "no images on the hosts" });
});

test("an image of a release that the config no longer uses is shown as removable", async () => {
  expect((await scene.up(files)).exitCode).toBe(0);
  scene.configure(files, { workers: 0, talos: "v1.13.8" });
  const { rows, footer } = await shown();
  expect(rows).toMatchObject([{ name: IMAGE, use: "not used here", wanted: false, users: [] }]);
  expect(footer?.[0]).toMatch(/^1 of them, .* can be removed: {2}talosmith images \/env --prune$/);
});
