import { userError } from "@talosmith/lib/errors.ts";
import { type Command, Option } from "commander";
import type { SecretsOrigin } from "../workflows/secrets.ts";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

interface SecretsFlags extends CommonFlags {
  fromConfig?: string;
  fromNode?: string | true;
  fromKubernetesPki?: string;
  tokenFile?: string;
  talosconfig?: string;
}

const EXAMPLES = `  talosmith secrets environments/homelab --from-config environments/homelab/controlplane.yaml
  talosmith secrets environments/homelab --from-node                 asks the control planes, with the environment's talosconfig
  talosmith secrets environments/homelab --from-kubernetes-pki pki --token-file token.txt

A new cluster does not need this: the first up creates secrets.yaml. A file made by "talosctl gen secrets" can be put
into the folder as it is. An existing secrets.yaml is never replaced.`;

export function secretsCommand(): Command {
  return command("secrets", "Recover secrets.yaml, or take it over from an existing cluster.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .addOption(
      new Option("--from-config <file>", "from the machine config of a control plane").conflicts([
        "fromNode",
        "fromKubernetesPki",
      ]),
    )
    .addOption(new Option("--from-node [node]", "from a running control plane").conflicts("fromKubernetesPki"))
    .option("--talosconfig <file>", "with --from-node: talosconfig to log in with (default: the environment's own)")
    .option("--from-kubernetes-pki <folder>", "from a copy of /etc/kubernetes/pki of a kubeadm cluster")
    .option("--token-file <file>", "with --from-kubernetes-pki: a file with a bootstrap token of that cluster")
    .action(async (folder: string, flags: SecretsFlags) => {
      const { inSession } = await import("./session.ts");
      const { takeSecrets } = await import("../workflows/secrets.ts");
      await inSession(flags, (session) => takeSecrets(session, folder, originOf(flags)));
    });
}

function originOf({ fromConfig, fromNode, fromKubernetesPki, tokenFile, talosconfig }: SecretsFlags): SecretsOrigin | undefined {
  if (fromConfig !== undefined) return { from: "config", file: fromConfig };
  if (fromKubernetesPki !== undefined) {
    if (tokenFile !== undefined) return { from: "kubernetes", folder: fromKubernetesPki, tokenFile };
    throw userError("USAGE", {
      message: "--from-kubernetes-pki needs --token-file",
      hint: "make a token on a control plane of the old cluster: kubeadm token create --ttl 0, and write it to a file",
    });
  }
  if (fromNode === undefined) return undefined;
  return { from: "node", ...(fromNode !== true && { name: fromNode }), ...(talosconfig !== undefined && { talosconfig }) };
}
