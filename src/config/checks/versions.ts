import { defaultKubernetes, TALOS_MINORS, type TalosMinor, talosMinor } from "../../catalog/talos-versions.ts";
import { parseVersion, type Version } from "../../catalog/version.ts";
import type { Report } from "../report.ts";
import type { Check } from "./facts.ts";

/** Checks that Talos is a supported release, and that it supports the Kubernetes version and the config format. */
export const versions: Check = ({ draft }, report) => {
  const { talos, kubernetes, contract, talosApiAccess } = draft.cluster ?? {};
  const version = talos === undefined ? undefined : parseVersion(talos);
  if (version === undefined) return;
  const line = talosMinor(version);
  if (line === undefined) {
    unknownLine(version, report);
    return;
  }
  if (version.pre !== undefined)
    report.warn(["cluster", "talos"], {
      message: `cluster.talos ${version.text} is a pre-release`,
      hint: "use a release for a cluster that matters",
    });
  const wanted = kubernetes === undefined ? undefined : parseVersion(kubernetes);
  if (wanted !== undefined) kubernetesFits(wanted, version, line, report);
  if (contract !== undefined) contractFits(contract, line, report);
  rolesFit(talosApiAccess?.roles ?? [], line, report);
};

function unknownLine(version: Version, report: Report): void {
  const known = TALOS_MINORS.map(({ minor }) => minor);
  report.problem(["cluster", "talos"], {
    message: `cluster.talos ${version.text} is not a release line that this version supports`,
    hint: `use a release of ${known.slice(0, -1).join(", ")} or ${known.at(-1)}, such as v1.13.9`,
    remark: `supported: ${known.join(", ")}`,
  });
}

function kubernetesFits(wanted: Version, talos: Version, line: TalosMinor, report: Report): void {
  const accepts = ({ kubernetes: { from, to } }: TalosMinor) => wanted.major === 1 && wanted.minor >= from && wanted.minor <= to;
  if (accepts(line)) return;
  const { from, to } = line.kubernetes;
  const newer = wanted.major > 1 || (wanted.major === 1 && wanted.minor > to);
  const other = TALOS_MINORS.filter(accepts).at(newer ? 0 : -1);
  report.problem(["cluster", "kubernetes"], {
    message: `cluster.kubernetes ${wanted.text} is ${newer ? "newer" : "older"} than Talos ${talos.text} accepts`,
    hint: `use ${defaultKubernetes(talos)} (tested with this Talos)${other === undefined ? "" : `, or Talos ${other.minor}`}`,
    remark: `accepted: v1.${from} to v1.${to}`,
  });
}

function contractFits(contract: string, line: TalosMinor, report: Report): void {
  const known = TALOS_MINORS.map(({ minor }) => minor);
  const usable = known.slice(0, known.indexOf(line.minor) + 1);
  if (usable.includes(contract)) return;
  const newer = known.includes(contract);
  report.problem(["cluster", "contract"], {
    message: newer
      ? `cluster.contract ${contract} is newer than cluster.talos`
      : `cluster.contract ${contract} is not a config format that this version writes`,
    hint: `use ${usable.join(" or ")}, or remove it`,
    remark: newer ? `talos is ${line.minor}` : `known are ${known.join(", ")}`,
  });
}

/** Roles that came with Talos 1.13. */
const NEWER_ROLES = ["os:image:verifier", "os:meta:writer"];

function rolesFit(roles: readonly (string | undefined)[], line: TalosMinor, report: Report): void {
  if (line.minor !== "v1.12") return;
  for (const [index, role] of roles.entries())
    if (role !== undefined && NEWER_ROLES.includes(role))
      report.problem(["cluster", "talosApiAccess", "roles", index], {
        message: `cluster.talosApiAccess.roles[${index}] ${role} does not exist in Talos v1.12`,
        hint: "use os:reader, os:operator, os:admin, os:etcd:backup or os:impersonator, or Talos v1.13",
      });
}
