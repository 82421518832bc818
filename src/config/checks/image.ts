import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { minorOf, parseVersion } from "../../catalog/version.ts";
import type { Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Check } from "./facts.ts";

/** Their disk images leave the firmware without keys, and so Secure Boot off; their ISOs enroll them. From v1.14 on both do (pkg/imager/out.go of Talos). */
const NO_KEYS_ON_DISKS: ReadonlySet<string> = new Set(["v1.12", "v1.13"]);

/** A schematic made elsewhere is complete; and images come the safe way. */
export const image: Check = ({ draft, pools }, report) => {
  const { schematic, extensions, kernelArgs, factory } = draft.image ?? {};
  const own = [...(extensions?.length ? ["extensions"] : []), ...(kernelArgs?.length ? ["kernelArgs"] : [])];
  if (schematic !== undefined && own.length > 0)
    report.problem(["image", "schematic"], {
      message: `image has both schematic and ${own.join(" and ")}`,
      hint: `keep one: a schematic made elsewhere cannot be added to, and without it one is made from extensions and kernelArgs`,
      on: "key",
    });
  const { clone, method = "import" } = draft.image ?? {};
  if (clone !== undefined && method !== "template" && draft.platform === "proxmox")
    report.problem(["image", "clone"], {
      message: `image.clone is about templates, and image.method is ${method}`,
      hint: "set method: template, or remove clone",
      on: "key",
    });
  const talos = parseVersion(draft.cluster?.talos ?? "");
  const bringsNoKeys = talos !== undefined && NO_KEYS_ON_DISKS.has(minorOf(talos)) && method !== "iso";
  if (draft.image?.secureboot === true && draft.platform === "proxmox" && bringsNoKeys)
    report.problem(["image", "secureboot"], {
      message: `image.secureboot does nothing with method ${method} before Talos v1.14, whose disk images are the first to bring their keys`,
      hint: "set image.method: iso, or use Talos v1.14",
    });
  if (schematic !== undefined) for (const pool of pools) addsNothing(pool, report);
  if (factory !== undefined && isBare(factory))
    report.warn(["image", "factory"], {
      message: "image.factory is reached without TLS, so the image could be changed on its way",
      hint: "use https://",
    });
};

function addsNothing(pool: Pool, report: Report): void {
  const adds = [
    ...pool.everywhere("extensions").filter(({ value }) => value.length > 0),
    ...pool.everywhere("kernelArgs").filter(({ value }) => value.length > 0),
    ...pool.everywhere("gpu"),
    ...gpusOf(pool),
  ];
  for (const { path } of adds)
    report.problem(path, {
      message: `${pathName(path)} cannot be added to image.schematic (${report.line(["image", "schematic"])})`,
      hint: "remove image.schematic and name its extensions under image, so that one is made for these nodes; or remove this",
      remark: "a schematic is complete",
      on: "key",
    });
}

function gpusOf({ settings, origin }: Pool): { path: Path }[] {
  const has = (device: NonNullable<Pool["settings"]["pci"]>[number]) => typeof device === "object" && device.gpu !== undefined;
  return (settings.pci ?? []).flatMap((device, index) => (has(device) ? [{ path: [...origin("pci"), index, "gpu"] }] : []));
}

/** Without TLS, and over a network. */
export function isBare(address: string): boolean {
  return address.startsWith("http:") && !/^http:\/\/(127\.|localhost[:/])/.test(`${address}/`);
}
