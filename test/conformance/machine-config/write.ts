import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { SecretsBundle } from "../../../src/talos/secrets/bundle.ts";
import { createSecretsBundle } from "../../../src/talos/secrets/create.ts";
import { printSecrets } from "../../../src/talos/secrets/print.ts";
import { clusterCases, goldenCluster } from "./cluster-cases.ts";
import { mergeCases } from "./merge-cases.ts";
import { nodeCases } from "./node-cases.ts";

const CONTRACTS = ["v1.12", "v1.13", "v1.14"];

/** A folder per Talos minor ("1.13") with what that minor's judge is asked: cases.json says which file is what. */
async function writeCases(folder: string): Promise<void> {
  const bundles = new Map<string, SecretsBundle>();
  for (const contract of CONTRACTS)
    bundles.set(contract, await createSecretsBundle(realWorld(), { contract, redactor: new Redactor() }));
  for (const [at, newest] of CONTRACTS.entries()) {
    const home = join(folder, newest.slice(1));
    mkdirSync(home, { recursive: true });
    const write = (file: string, text: string) => {
      writeFileSync(join(home, file), text, { mode: 0o600 });
      return file;
    };
    // A Talos knows the contracts of its elders.
    const contexts = [...bundles].slice(0, at + 1).map(([contract, secrets]) => {
      mkdirSync(join(home, contract), { recursive: true });
      return { contract, secrets, secretsFile: write(`secrets-${contract}.yaml`, printSecrets(secrets)), write };
    });
    // The newest Talos sees all cases of its own contract, older ones every third, and all of them some of the contracts of their elders.
    const own = at === bundles.size - 1 ? 1 : 3;
    const seen = <T>(cases: readonly T[], { contract }: { contract: string }) =>
      process.env.FULL !== undefined ? cases : cases.filter((_, n) => n % (contract === newest ? own : 9) === 0);
    const clusters = contexts.flatMap((context) => [...seen(clusterCases(context), context), goldenCluster(context)]);
    const nodes = contexts.flatMap((context) => seen(nodeCases(context), context));
    write("cases.json", JSON.stringify({ clusters, nodes, merges: mergeCases(newest) }));
  }
}

const [, , folder] = process.argv;
if (folder === undefined) throw new Error("usage: write FOLDER");
await writeCases(folder);
