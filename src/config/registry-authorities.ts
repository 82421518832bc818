import type { World } from "@talosmith/lib/world/world.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { certificateOf } from "./certificate-file.ts";
import type { Report } from "./report.ts";
import type { Draft } from "./shape.ts";

/** Reads the CA certificates of registries, by host. An unusable one is reported and left out. */
export function registryAuthorities(draft: Draft, world: World, folder: string, report: Report): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [host, registry] of Object.entries(draft.registries ?? {})) {
    if (registry?.ca === undefined) continue;
    const path = ["registries", host, "ca"];
    const ca = certificateOf(registry.ca, world, folder);
    if ("pem" in ca) found.set(host, ca.pem);
    else
      report.problem(
        path,
        {
          message: `${pathName(path)} names a file that ${ca.wrong}`,
          hint: "put the authority's certificate, in PEM, into the environment's folder and name it here",
        },
        "CONFIG_VALUE",
      );
  }
  return found;
}
