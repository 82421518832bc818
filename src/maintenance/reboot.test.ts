import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import { writeContext } from "../engine/context.ts";
import type { TalosNode } from "../talos/api/talos-node.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import { reboot } from "./reboot.ts";

const NODE = { name: "worker-1", ip: "10.0.0.21", role: "worker" } as const;
const GONE = remoteError("TALOS_UNAVAILABLE", { message: "no answer", transient: true });

/** Reboots a node that answers `boots` one after the other, the last one for ever; returns how many reboots were requested. */
async function rebooted(boots: readonly (string | Error)[], answer: () => Promise<void> = async () => {}) {
  const session = testSession({ timeScale: 10_000 });
  const waiting = [...boots];
  let told = 0;
  const api: Partial<TalosNode> = {
    bootId: async () => {
      const next = waiting.length > 1 ? waiting.shift() : waiting[0];
      if (typeof next !== "string") throw next;
      return next;
    },
    reboot: async () => {
      told++;
      await answer();
      return undefined as never;
    },
  };
  const talos = { node: () => api } as unknown as TalosNodes;
  const error = await reboot(talos, NODE, writeContext(session, "reboot", new Map())).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { told, error, left: waiting.length };
}

test("a reboot ends when the node answers from its next boot, not while it still answers from this one or is silent", async () => {
  expect(await rebooted(["first", "first", GONE, "second"])).toEqual({ told: 1, error: undefined, left: 1 });
});

test("a reboot whose answer was lost is not repeated while the node goes down", async () => {
  expect(await rebooted(["first", "first", GONE, "second"], () => Promise.reject(GONE))).toMatchObject({
    told: 1,
    error: undefined,
  });
});

test("a reboot whose answer was lost failed when the node still answers from the same boot two minutes later", async () => {
  expect(await rebooted(["first"], () => Promise.reject(GONE))).toMatchObject({ told: 1, error: { code: "TALOS_UNAVAILABLE" } });
});

test("a node that accepted its reboot is given ten minutes to go down", async () => {
  expect(await rebooted(["first"])).toMatchObject({
    error: { code: "TIMEOUT", detail: expect.stringContaining("it has not gone down yet") },
  });
});

test("a refused reboot fails at once", async () => {
  const refused = remoteError("TALOS_REFUSED", { message: "not allowed" });
  expect(await rebooted(["first", "second"], () => Promise.reject(refused))).toMatchObject({
    error: { code: "TALOS_REFUSED" },
    left: 1,
  });
});
