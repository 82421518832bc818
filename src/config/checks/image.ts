import { pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import { type Check, type Facts, givenGpus } from "./facts.ts";

/** Checks that nothing is added to an existing schematic, and that images are downloaded safely. */
export const image: Check = (facts, report) => {
  const { draft, pools } = facts;
  const { schematic, extensions, kernelArgs, factory } = draft.image ?? {};
  const own = [...(extensions?.length ? ["extensions"] : []), ...(kernelArgs?.length ? ["kernelArgs"] : [])];
  if (schematic !== undefined && own.length > 0)
    report.problem(["image", "schematic"], {
      message: `image has both schematic and ${own.join(" and ")}`,
      hint: `keep one: nothing can be added to an existing schematic; without it, one is created from extensions and kernelArgs`,
      on: "key",
    });
  if (schematic !== undefined) for (const pool of pools) addsNothing(facts, pool, report);
  if (factory !== undefined && isBare(factory))
    report.warn(["image", "factory"], {
      message: "image.factory is reached without TLS, so the image could be changed in transit",
      hint: "use https://",
    });
};

function addsNothing(facts: Facts, pool: Pool, report: Report): void {
  const adds = [
    ...pool.everywhere("extensions").filter(({ value }) => value.length > 0),
    ...pool.everywhere("kernelArgs").filter(({ value }) => value.length > 0),
    ...pool.everywhere("gpu"),
    ...givenGpus(facts, pool),
  ];
  for (const { path } of adds)
    report.problem(path, {
      message: `${pathName(path)} cannot be added to image.schematic (${report.line(["image", "schematic"])})`,
      hint: "remove image.schematic and list its extensions under image, so that a schematic is created for these nodes; or remove this",
      remark: "a schematic is complete",
      on: "key",
    });
}

/** Without TLS, and over a network. */
export function isBare(address: string): boolean {
  return address.startsWith("http:") && !/^http:\/\/(127\.|localhost[:/])/.test(`${address}/`);
}
