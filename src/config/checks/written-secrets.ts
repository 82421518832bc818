import { eachScalar, pathName } from "@talosmith/lib/yaml/tree.ts";
import { holdsAnyKey, isSecret } from "../secrets.ts";
import type { Check } from "./facts.ts";

/** Secrets are better kept outside of the file. The token of Proxmox is warned about with the rest of it. */
export const writtenSecrets: Check = (_, report) => {
  eachScalar(report.tree, (scalar, path) => {
    const key = path.at(-1);
    const ours =
      (path[0] === "registries" && key === "password") ||
      (path[0] === "vps" && key === "token") ||
      (path[0] !== "patches" && key === "passphrase") ||
      (path[0] === "addons" && scalar.value !== "" && (isSecret(path) || holdsAnyKey(String(scalar.value))));
    if (!ours || path.includes("patches") || typeof scalar.value !== "string" || scalar.written !== undefined) return;
    report.warn(path, {
      message: `${pathName(path)} is written out in the file`,
      hint: `write \${env:NAME} or \${file:PATH} instead`,
    });
  });
};
