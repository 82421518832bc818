import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { secretsFromConfig } from "../../../src/talos/secrets/from-config.ts";
import { secretsFromKubernetesPki } from "../../../src/talos/secrets/from-kubernetes-pki.ts";
import { printSecrets } from "../../../src/talos/secrets/print.ts";

/** Takes bundles from where Talos takes them, and keeps of both what does not come from chance. */
const [, , contract = "", ours = "", theirs = ""] = process.argv;
const redactor = new Redactor();
const config = readFileSync(join(theirs, "controlplane.config"), "utf8");
writeFileSync(join(theirs, "ours", "from-config"), printSecrets(secretsFromConfig(config, { file: "controlplane", redactor })));

const folder = join(ours, "pki");
const token = readFileSync(join(folder, "token"), "utf8").trim();
const pki = printSecrets(await secretsFromKubernetesPki(realWorld(), { folder, token, contract, redactor }));
writeFileSync(join(theirs, "ours", "from-pki.kept"), kept(pki));
writeFileSync(join(theirs, "from-pki.kept"), kept(readFileSync(join(theirs, "from-pki"), "utf8")));

/** The token, and all certificates but those of the Talos API. */
function kept(text: string): string {
  const lines = text.split("\n");
  const [from, to] = [lines.indexOf("certs:"), lines.indexOf("    os:")];
  return [...lines.filter((line) => line.includes("bootstraptoken:")), ...lines.slice(from, to)].join("\n");
}
