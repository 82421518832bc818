import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Role } from "../../../src/config/config.ts";
import { Redactor } from "../../../src/lib/secret.ts";
import { realWorld } from "../../../src/lib/world/real.ts";
import { baseConfig } from "../../../src/talos/config/base-config.ts";
import { type ClusterInput, installerImage } from "../../../src/talos/config/cluster-input.ts";
import { fullConfig } from "../../../src/talos/config/full-config.ts";
import { mergeDocuments } from "../../../src/talos/config/merge.ts";
import { type NodeInput, nodePatch } from "../../../src/talos/config/node-patch.ts";
import { parseConfig } from "../../../src/talos/config/parse.ts";
import { printConfig } from "../../../src/talos/config/print.ts";
import { testBundle } from "../../../src/talos/config/testing/test-bundle.ts";
import { createSecretsBundle } from "../../../src/talos/secrets/create.ts";
import { printSecrets } from "../../../src/talos/secrets/print.ts";
import { BASE, PATCHES } from "./merge-cases.ts";
import { randomConfig } from "./random-merges.ts";

const RANDOM_MERGES = 400;
const ROLES: readonly Role[] = ["controlplane", "worker"];
const SCHEMATIC = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

/** Our configs for every choice a cluster and a node can make, and what we make of patches; cases.json says which file is what. */
async function writeCases(folder: string): Promise<void> {
  const bundle = await createSecretsBundle(realWorld(), { contract: "v1.13", redactor: new Redactor() });
  const write = (file: string, text: string) => {
    writeFileSync(join(folder, file), text, { mode: 0o600 });
    return file;
  };
  const secrets = write("secrets.yaml", printSecrets(bundle));
  const [clusters, nodes]: [object[], object[]] = [[], []];
  for (const [at, choice] of clusterChoices().entries()) {
    const input = { ...choice, secrets: bundle };
    const [controlplane, worker] = ROLES.map((role) => write(`${at}-${role}.yaml`, printConfig(baseConfig(input, role))));
    clusters.push({ ...choice, name: `cluster ${at}`, clusterName: choice.name, secrets, controlplane, worker });
    for (const [which, node] of nodeChoices(choice.installDisk).entries()) {
      const [base, patch] = [printConfig(baseConfig(input, node.role)), printConfig(nodePatch(node))];
      const file = (kind: string, text: string) => write(`${at}-${which}-${kind}.yaml`, text);
      const files = { base: `${at}-${node.role}.yaml`, patch: file("patch", patch), full: file("full", fullConfig(base, patch)) };
      nodes.push({ name: `cluster ${at} node ${which}`, ...files });
    }
  }
  clusters.push(...goldenClusters(write));
  mkdirSync(join(folder, "v1.12"));
  mkdirSync(join(folder, "v1.13"));
  write("cases.json", JSON.stringify({ clusters, nodes, merges: merges() }));
}

type Choice = Omit<ClusterInput, "secrets">;

function clusterChoices(): Choice[] {
  const choices: Choice[] = [];
  for (const [contract, kubernetes] of [
    ["v1.12", "v1.35.4"],
    ["v1.13", "v1.36.3"],
  ] as const)
    for (const cni of ["cilium", "flannel", "none"] as const)
      for (const [endpoint, platform] of [
        ["10.10.0.5", "nocloud"],
        ["k8s.example.org", "metal"],
        ["fd00::5", "metal"],
      ] as const)
        for (const scheduleOnControlPlanes of [false, true]) {
          const factory = platform === "metal" ? "http://127.0.0.9:8080" : "https://factory.talos.dev";
          const image = installerImage({ factory, platform, schematic: SCHEMATIC, talos: `${contract}.9` });
          const name = scheduleOnControlPlanes ? "homelab" : "123";
          choices.push({
            name,
            contract,
            kubernetes,
            cni,
            endpoint,
            scheduleOnControlPlanes,
            installerImage: image,
            installDisk: "/dev/sda",
          });
        }
  return choices;
}

function nodeChoices(baseInstallDisk: string): NodeInput[] {
  const nodes: NodeInput[] = [];
  for (const role of ROLES)
    for (const mac of [undefined, "BC:24:11:00:00:01", "52:54:00:12:34:56"])
      for (const installDisk of [baseInstallDisk, "/dev/vda"])
        for (const vip of [undefined, "10.10.0.5"])
          for (const [ip, gateway, nameservers] of [
            ["10.10.0.11", "10.10.0.1", ["10.10.0.1", "2606:4700::1111"]],
            ["10.10.0.12", "10.10.0.1", []],
          ] as const)
            nodes.push({
              name: vip === undefined ? "0x1" : "cp-1",
              role,
              ip,
              mac,
              vip,
              installDisk,
              baseInstallDisk,
              network: { prefix: 24, gateway, nameservers },
            });
  return nodes;
}

/** What the unit tests compare with is printed by Talos here. */
function goldenClusters(write: (file: string, text: string) => string): object[] {
  const { input, secretsYaml } = testBundle();
  const secrets = write("test-secrets.yaml", secretsYaml);
  return ["v1.12", "v1.13"].map((contract) => {
    const [controlplane, worker] = ROLES.map((role) =>
      write(`golden-${contract}-${role}.yaml`, printConfig(baseConfig({ ...input, contract }, role))),
    );
    return {
      ...input,
      contract,
      name: `golden ${contract}`,
      clusterName: input.name,
      secrets,
      controlplane,
      worker,
      print: contract,
    };
  });
}

function merges(): object[] {
  const table = Object.entries(PATCHES).map(([name, patch]) => merged(name, BASE, patch));
  const random = Array.from({ length: RANDOM_MERGES }, (_, seed) =>
    merged(`random ${seed}`, printConfig(randomConfig(2 * seed)), printConfig(randomConfig(2 * seed + 1))),
  );
  return [...table, ...random];
}

function merged(name: string, base: string, patch: string): object {
  try {
    return { name, base, patch, ours: printConfig(mergeDocuments(parseConfig(base), parseConfig(patch))) };
  } catch (error) {
    return { name, base, patch, refused: error instanceof Error ? error.message : String(error) };
  }
}

const [, , folder] = process.argv;
if (folder === undefined) throw new Error("usage: write FOLDER");
await writeCases(folder);
