import { minorOf, parseVersion } from "../../../../catalog/version.ts";
import type { ProxmoxCheck } from "./check.ts";

/** Their disk images leave the firmware without keys, and so Secure Boot off; their ISOs enroll them. From v1.14 on both do (pkg/imager/out.go of Talos). */
const NO_KEYS_ON_DISKS: ReadonlySet<string> = new Set(["v1.12", "v1.13"]);

/** How machines get their image fits what the image is. */
export const image: ProxmoxCheck = ({ draft }, report) => {
  const { clone, method = "import" } = draft.image ?? {};
  if (clone !== undefined && method !== "template")
    report.problem(["image", "clone"], {
      message: `image.clone is about templates, and image.method is ${method}`,
      hint: "set method: template, or remove clone",
      on: "key",
    });
  const talos = parseVersion(draft.cluster?.talos ?? "");
  const bringsNoKeys = talos !== undefined && NO_KEYS_ON_DISKS.has(minorOf(talos)) && method !== "iso";
  if (draft.image?.secureboot === true && bringsNoKeys)
    report.problem(["image", "secureboot"], {
      message: `image.secureboot does nothing with method ${method} before Talos v1.14, whose disk images are the first to bring their keys`,
      hint: "set image.method: iso, or use Talos v1.14",
    });
  if (draft.image?.arch === "arm64")
    report.problem(["image", "arch"], {
      message: "image.arch is arm64, and Proxmox hosts are amd64 here",
      hint: "remove it; machines of arm64 are for platform: metal or vps",
    });
};
