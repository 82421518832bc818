import { expect, test } from "vitest";
import type { Permissions } from "../client/access.ts";
import { heldAt } from "./held.ts";

const listed: Permissions = new Map([["/storage", new Map([["Datastore.Audit", true]])]]);

test("a path that Proxmox does not list is queried separately, once, and inherits nothing from parent paths", async () => {
  const asked: string[] = [];
  const held = await heldAt(listed, ["/storage/local", "/storage", "/storage/local"], async (paths) => {
    asked.push(...paths);
    return new Map(paths.map((path) => [path, new Map()]));
  });
  expect(asked).toEqual(["/storage/local"]);
  expect(held.get("/storage/local")?.size).toBe(0);
  expect(held.get("/storage")?.has("Datastore.Audit")).toBe(true);
});
