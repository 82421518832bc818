import { minorOf, parseVersion } from "../../../../catalog/version.ts";
import type { ProxmoxCheck } from "./check.ts";

/** Their disk images leave the firmware without keys, and so Secure Boot off; their ISOs enroll them. From v1.14 on both do (pkg/imager/out.go of Talos). */
const NO_KEYS_ON_DISKS: ReadonlySet<string> = new Set(["v1.12", "v1.13"]);

/** Checks that the image method fits the image. */
export const image: ProxmoxCheck = ({ draft }, report) => {
  const { clone, method = "import" } = draft.image ?? {};
  if (clone !== undefined && method !== "template")
    report.problem(["image", "clone"], {
      message: `image.clone is for templates, but image.method is ${method}`,
      hint: "set method: template, or remove clone",
      on: "key",
    });
  const talos = parseVersion(draft.cluster?.talos ?? "");
  const bringsNoKeys = talos !== undefined && NO_KEYS_ON_DISKS.has(minorOf(talos)) && method !== "iso";
  if (draft.image?.secureboot === true && bringsNoKeys)
    report.problem(["image", "secureboot"], {
      message: `image.secureboot has no effect with method ${method} before Talos v1.14: older disk images do not contain the keys`,
      hint: "set image.method: iso, or use Talos v1.14",
    });
  if (draft.image?.arch === "arm64")
    report.problem(["image", "arch"], {
      message: "image.arch is arm64, but only amd64 is supported on Proxmox",
      hint: "remove it; arm64 machines need platform: metal or vps",
    });
};
