import { internalError, remoteError, type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { errorLines } from "./error.ts";
import { render } from "./line.ts";

const shown = (error: TalosmithError) => errorLines(error.report()).map((row) => render(row, false));

test("several problems of a file are shown together, each with its place, its frame and its hint", () => {
  const at = (line: number, column: number, frame?: string) => ({
    file: "config.yaml",
    line,
    column,
    ...(frame !== undefined && { frame }),
  });
  const frame = [" 13 │   - name: worker", " 14 │     ip: 10.11.0.21", "    │         ^^^^^^^^^^ not in 10.10.0.0/24"].join("\n");
  const problems = [
    userError("IP_OUTSIDE", {
      message: "nodes[1].ip is outside network.cidr",
      where: at(14, 9, frame),
      hint: "choose an address from 10.10.0.2 to 10.10.0.254, or widen network.cidr (line 6)",
    }),
    userError("KUBERNETES_NEW", {
      message: "cluster.kubernetes v1.38.0 is newer than Talos v1.13.9 accepts",
      where: at(22, 12),
      hint: "use v1.36.3 (tested with this Talos), or Talos v1.15",
    }),
  ];
  const error = userError("CONFIG", { message: "environments/homelab/config.yaml has 2 problems", hint: "mend them", problems });
  expect(shown(error)).toEqual([
    "✗ environments/homelab/config.yaml has 2 problems",
    "  hint: mend them",
    "",
    "  config.yaml:14:9  nodes[1].ip is outside network.cidr",
    "   13 │   - name: worker",
    "   14 │     ip: 10.11.0.21",
    "      │         ^^^^^^^^^^ not in 10.10.0.0/24",
    "  hint: choose an address from 10.10.0.2 to 10.10.0.254, or widen network.cidr (line 6)",
    "",
    "  config.yaml:22:12  cluster.kubernetes v1.38.0 is newer than Talos v1.13.9 accepts",
    "  hint: use v1.36.3 (tested with this Talos), or Talos v1.15",
    "",
  ]);
});

test("a fix to run on a host is printed with all its lines, to be copied", () => {
  const error = remoteError("PROXMOX_PERMISSION", {
    message: "Unable to clone machine worker-2: Proxmox refused it",
    detail: "pve answered 403: Permission check failed (/vms/9000, VM.Clone)\nThe token lacks VM.Clone.",
    hint: "as root on pve:\npveum role add TalosmithDeploy\npveum acl modify /vms/9000",
  });
  expect(shown(error)).toEqual([
    "✗ Unable to clone machine worker-2: Proxmox refused it",
    "  pve answered 403: Permission check failed (/vms/9000, VM.Clone)",
    "  The token lacks VM.Clone.",
    "  fix, as root on pve:",
    "    pveum role add TalosmithDeploy",
    "    pveum acl modify /vms/9000",
    "  runbook: talosmith runbook PROXMOX_PERMISSION",
  ]);
});

test("a single error names its place on a line of its own", () => {
  const where = { file: "config.yaml", line: 3, column: 7 };
  expect(shown(userError("X", { message: "Unable to read token", where, hint: "set it" }))).toEqual([
    "✗ Unable to read token",
    "  config.yaml:3:7",
    "  hint: set it",
  ]);
});

test("an internal error is reported as a bug, with its code", () => {
  expect(shown(internalError("INTERNAL", { message: "Something went wrong inside talosmith: x" }))).toEqual([
    "✗ Something went wrong inside talosmith: x",
    "  this is a bug in talosmith (INTERNAL), not in your config; please report it",
  ]);
});
