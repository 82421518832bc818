import { pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Report } from "../../../../config/report.ts";
import { told, toldOf } from "../../../../config/told-presets.ts";
import type { ToldCsi } from "../addons.ts";
import type { ProxmoxFacts } from "../draft.ts";
import type { ProxmoxCheck } from "./check.ts";

/** Checks Proxmox's drivers against the other addons. */
export const addons: ProxmoxCheck = ({ draft, platform }, report) => {
  for (const { key, told } of toldOf(draft, platform)) {
    if (key === "proxmoxCsi") classNames(told, report);
    if (key === "proxmoxCcm") cloudControllers(draft, report);
  }
};

function classNames(told: object, report: Report): void {
  const names = ((told as ToldCsi).classes ?? []).map((one) => one?.name);
  for (const [index, name] of names.entries()) {
    if (name === undefined || names.indexOf(name) === index) continue;
    const path = ["addons", "proxmoxCsi", "classes", index, "name"];
    report.problem(path, {
      message: `${pathName(path)} is the name of another storage class`,
      hint: "give one of the two another name",
      remark: "used twice",
    });
  }
}

/** Both controllers would set the nodes' provider ids, in different formats. */
function cloudControllers(draft: ProxmoxFacts["draft"], report: Report): void {
  const talos = told(draft, "talosCcm");
  if (talos === undefined || talos.values?.enabledControllers !== undefined) return;
  report.warn(["addons", "talosCcm"], {
    message: "addons.talosCcm and addons.proxmoxCcm both initialise nodes, and would undo each other's changes",
    hint: "let Talos's only approve certificates:\ntalosCcm: { values: { enabledControllers: [node-csr-approval] } }",
    on: "key",
  });
}
