import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import { paths } from "../environment/folder.ts";
import type { Inventory } from "../platforms/platform.ts";
import { createSecretsBundle } from "../talos/secrets/create.ts";
import { printSecrets } from "../talos/secrets/print.ts";
import type { Access } from "../workflows/access.ts";
import { look } from "../workflows/prepare.ts";
import { environment, nodesOf } from "../workflows/testing/running-nodes.ts";
import { nodeReplacement, type ReplaceTarget } from "./node-replace.ts";

const TARGET: ReplaceTarget = { instance: "old", talos: "v1.13.9", kubernetes: "v1.36.3", contract: "v1.13" };

/** The cluster that a resumed replacement of worker-2 works on: made with v1.13.9, and the config was set back to v1.12 meanwhile. */
async function resumedOn(silent: readonly string[]) {
  const session = testSession();
  const made = environment();
  const written = environment({ "v1.13.9": "v1.12.11" });
  const secrets = await createSecretsBundle(session.world, { contract: "v1.13", redactor: session.redactor });
  session.world.files.makeFolder(written.folder, 0o700);
  session.world.files.create(paths.secrets(written.folder), Buffer.from(printSecrets(secrets)), 0o600);
  const found: Inventory = { environment: "e", owned: [], there: new Set(["cp", "worker-1"]), foreign: [] };
  const platform = { inventory: async () => found, mac: () => undefined };
  const access = { platform, platformFor: () => platform, talos: nodesOf(made, { silent }) } as unknown as Access;
  const { aim } = nodeReplacement(session, "worker-2");
  const { env } = await look(session, written, access, { keepsVersions: true, aim: (...seen) => aim(...seen, TARGET) });
  const { talos, kubernetes, contract } = env.config.cluster;
  return { talos, kubernetes, contract };
}

// Nodes that answer tell their releases, but not the config format (contract) that the replacement began with.
test.each<[string, string[]]>([
  ["answer", []],
  ["are silent", ["cp", "worker-1"]],
])(
  "a resumed replacement keeps the releases it began with while the other nodes %s and the config names older ones",
  async (_, silent) => {
    const { instance, ...releases } = TARGET;
    expect(await resumedOn(silent)).toEqual(releases);
  },
);
