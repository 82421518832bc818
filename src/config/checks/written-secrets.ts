import { eachScalar, type Path, pathName, type ScalarTree } from "@talosmith/lib/yaml/tree.ts";
import type { Report } from "../report.ts";
import { holdsAnyKey, isSecret } from "../secrets.ts";
import type { Check } from "./facts.ts";

/** Warns of secrets in plain text. The checks of platforms do this for their own keys. */
export const writtenSecrets: Check = (_, report) => {
  eachScalar(report.tree, (scalar, path) => {
    const key = path.at(-1);
    const ours =
      (path[0] === "registries" && key === "password") ||
      (path[0] !== "patches" && key === "passphrase") ||
      (path[0] === "addons" && scalar.value !== "" && (isSecret(path) || holdsAnyKey(String(scalar.value))));
    if (ours && !path.includes("patches")) writtenOut(scalar, path, report);
  });
};

/** Warns of a secret that is no reference. */
export function writtenOut(scalar: ScalarTree, path: Path, report: Report): void {
  if (typeof scalar.value !== "string" || scalar.written !== undefined) return;
  report.warn(path, {
    message: `${pathName(path)} is stored in plain text in this file`,
    hint: `write \${env:NAME} or \${file:PATH} instead`,
  });
}
