import { type Path, pathName } from "../../lib/yaml/tree.ts";
import { otherCards } from "../other-cards.ts";
import type { Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import { type Check, type Facts, placesOfSetting } from "./facts.ts";

/** Machines made here have one system disk with Talos on it, one network card, and no secure firmware yet. */
export const proxmoxLimits: Check = (facts, report) => {
  installDisk(facts, report);
  for (const path of otherCards(report.tree)) notYet(path, "bridge and vlan set the first card", report);
  if (facts.draft.image?.secureboot === true) notYet(["image", "secureboot"], "machines have no secure firmware yet", report);
  if (facts.draft.image?.arch === "arm64")
    report.problem(["image", "arch"], {
      message: "image.arch is arm64, and Proxmox hosts are amd64 here",
      hint: "remove it; machines of arm64 are for platform: metal",
    });
  for (const pool of facts.pools) noTpm(pool, report);
};

function installDisk(facts: Facts, report: Report): void {
  for (const path of placesOfSetting(facts, "installDisk"))
    if (report.has(path))
      report.problem(path, {
        message: `${pathName(path)} is for platform metal only`,
        hint: "remove it: on Proxmox, Talos is on the machine's system disk; disk sets its size",
        on: "key",
      });
}

function noTpm({ settings, origin, everywhere }: Pool, report: Report): void {
  for (const which of ["state", "ephemeral"] as const)
    if (settings.encryption?.[which] === "tpm")
      notYet([...origin("encryption"), which], "machines have no TPM yet; use nodeID", report);
  for (const { path, value } of everywhere("volumes"))
    for (const [index, volume] of value.entries())
      if (volume?.encryption === "tpm") notYet([...path, index, "encryption"], "machines have no TPM yet; use nodeID", report);
}

function notYet(path: Path, why: string, report: Report): void {
  report.problem(
    path,
    {
      message: `${pathName(path)} is not available yet in this version`,
      hint: `remove it: on Proxmox, ${why}`,
      on: "key",
    },
    "CONFIG_NOT_YET",
  );
}
