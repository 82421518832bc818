import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import type { NodeConfig } from "../../config/config.ts";
import { readContext } from "../../engine/context.ts";
import type { Environment } from "../../environment/environment.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import type { ConfigOnMetal } from "./config/config-on-metal.ts";
import { metalPlatform } from "./platform.ts";

/** The inventory when worker-1 gives this answer to the query for its id. `discards`: the installation to replace. */
function inventory(answer: () => { spec: unknown } | undefined, discards?: string) {
  const node = { name: "worker-1", role: "worker", ip: "10.10.0.21", ...(discards !== undefined && { discards }) } as NodeConfig;
  const env = { config: { nodes: [node] } } as unknown as Environment<ConfigOnMetal>;
  const talos = { probe: async () => ({ is: "ours" }), node: () => ({ resource: async () => answer() }) };
  const c = readContext(testSession(), "inventory", new Map(), new Map());
  return metalPlatform(env, talos as unknown as TalosNodes).inventory("e", c);
}

// As in "talosctl get identities -o yaml".
const installed = (nodeId: string) => () => ({ spec: { nodeId } });
const unreadable = {
  "does not answer": () => {
    throw remoteError("TALOS_UNAVAILABLE", { message: "Unable to ask worker-1", transient: true });
  },
  "has no id yet": () => undefined,
};

test("a machine is replaced once it has another installation id", async () => {
  expect((await inventory(installed("old"), "old")).owned).toMatchObject([{ instance: "old", remade: true }]);
  expect((await inventory(installed("new"), "old")).owned[0]).not.toHaveProperty("remade");
});

test.each(Object.entries(unreadable))("a machine that %s is not counted as replaced", async (_, answer) => {
  await expect(inventory(answer, "old")).rejects.toMatchObject({ kind: "remote", transient: true });
});

test.each(Object.entries(unreadable))("a machine that %s is still listed while it is not being replaced", async (_, answer) => {
  const { owned } = await inventory(answer);
  expect(owned.map(({ name, instance }) => [name, instance])).toEqual([["worker-1", undefined]]);
});
