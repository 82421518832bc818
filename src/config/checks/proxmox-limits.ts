import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { settingPlaces } from "../setting-places.ts";
import { type Check, placesOfSetting } from "./facts.ts";

/** What machines that are made here cannot be, or need not be told. */
export const proxmoxLimits: Check = (facts, report) => {
  for (const path of placesOfSetting(facts, "installDisk"))
    if (report.has(path))
      report.problem(path, {
        message: `${pathName(path)} is for platform metal or vps only`,
        hint: "remove it: on Proxmox, Talos is on the machine's system disk; disk sets its size",
        on: "key",
      });
  for (const path of settingPlaces(report.tree, "bond"))
    report.problem(path, {
      message: `${pathName(path)} is for platform metal or vps only`,
      hint: "remove it: on Proxmox, bond the host's own cards below the bridge; nics adds cards to a machine",
      on: "key",
    });
  if (facts.draft.image?.arch === "arm64")
    report.problem(["image", "arch"], {
      message: "image.arch is arm64, and Proxmox hosts are amd64 here",
      hint: "remove it; machines of arm64 are for platform: metal or vps",
    });
};
