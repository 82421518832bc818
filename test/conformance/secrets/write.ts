import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { SecretsBundle } from "../../../src/talos/secrets/bundle.ts";
import { createSecretsBundle } from "../../../src/talos/secrets/create.ts";
import { printSecrets } from "../../../src/talos/secrets/print.ts";

const CONTRACTS = ["v1.12", "v1.13", "v1.14"];
const BY_CHANCE = 100;

/** Tokens that a reader of YAML could take for something else than text. */
const TRICKY_TOKENS = [
  "123456.1234567890123456",
  "012345.0123456789012345",
  "000000.0000000000000000",
  "12345e.1234567890123456",
  "1e2345.1234567890123456",
  "123456.12345678901234e5",
  "0x1234.1234567890123456",
  "0b1010.1010101010101010",
  "infinf.nannannannannann",
];
const TRICKY_IDS = ["-", "--", "---", "-1", "+", "_", "0x", "1e", "1_000", "/", "true", "null"];

/** A folder of secrets.yaml files for each contract, `bundle.yaml` being the plain one; gives their names. */
async function writeSecrets(folder: string): Promise<Record<string, string[]>> {
  const world = withKeysMadeOnce(realWorld());
  const names: Record<string, string[]> = {};
  for (const contract of CONTRACTS) {
    const make = () => createSecretsBundle(world, { contract, redactor: new Redactor() });
    const bundle = await make();
    const files: Record<string, SecretsBundle> = { bundle };
    for (let i = 0; i < BY_CHANCE; i++) files[`chance-${i}`] = await make();
    for (const [i, token] of TRICKY_TOKENS.entries()) files[`token-${i}`] = withToken(bundle, token);
    for (const [i, start] of TRICKY_IDS.entries()) files[`id-${i}`] = withId(bundle, start);
    mkdirSync(join(folder, contract), { recursive: true });
    for (const [name, one] of Object.entries(files)) writeFileSync(join(folder, contract, `${name}.yaml`), printSecrets(one));
    writePki(join(folder, contract, "pki"), bundle);
    names[contract] = Object.keys(files).map((name) => `${name}.yaml`);
  }
  return names;
}

/** What kubeadm would have written for the same cluster. */
function writePki(folder: string, { certs, secrets }: SecretsBundle): void {
  mkdirSync(join(folder, "etcd"), { recursive: true });
  const { k8s, etcd, k8sAggregator, k8sServiceAccount } = certs;
  for (const [name, authority] of Object.entries({ ca: k8s, "etcd/ca": etcd, "front-proxy-ca": k8sAggregator })) {
    writeFileSync(join(folder, `${name}.crt`), authority.certificate);
    writeFileSync(join(folder, `${name}.key`), authority.key.reveal());
  }
  writeFileSync(join(folder, "sa.key"), k8sServiceAccount.key.reveal());
  writeFileSync(join(folder, "token"), `${secrets.bootstrapToken.reveal()}\n`);
}

/** Keys are slow to make and print all alike; what else is in a bundle is new each time. */
function withKeysMadeOnce(world: World): World {
  const { keys } = world;
  const [ed25519, p256, rsa4096] = [keys.ed25519(), keys.p256(), keys.rsa4096()];
  return { ...world, keys: { ed25519: () => ed25519, p256: () => p256, rsa4096: () => rsa4096 } };
}

function withToken(bundle: SecretsBundle, token: string): SecretsBundle {
  const secret = new Redactor().secret(token);
  return { ...bundle, secrets: { ...bundle.secrets, bootstrapToken: secret }, trustdInfo: { token: secret } };
}

function withId(bundle: SecretsBundle, start: string): SecretsBundle {
  const id = start + bundle.cluster.id.slice(start.length);
  return { ...bundle, cluster: { ...bundle.cluster, id } };
}

const [, , folder] = process.argv;
if (folder === undefined) throw new Error("usage: write FOLDER");
process.stdout.write(JSON.stringify(await writeSecrets(folder)));
