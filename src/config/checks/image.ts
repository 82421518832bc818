import type { Check } from "./facts.ts";

/** A schematic made elsewhere is complete; and images come the safe way. */
export const image: Check = ({ draft }, report) => {
  const { schematic, extensions, kernelArgs, factory } = draft.image ?? {};
  const own = [...(extensions?.length ? ["extensions"] : []), ...(kernelArgs?.length ? ["kernelArgs"] : [])];
  if (schematic !== undefined && own.length > 0)
    report.problem(["image", "schematic"], {
      message: `image has both schematic and ${own.join(" and ")}`,
      hint: `keep one: a schematic made elsewhere cannot be added to, and without it one is made from extensions and kernelArgs`,
      on: "key",
    });
  if (factory !== undefined && isBare(factory))
    report.warn(["image", "factory"], {
      message: "image.factory is reached without TLS, so the image could be changed on its way",
      hint: "use https://",
    });
};

/** Without TLS, and over a network. */
export function isBare(address: string): boolean {
  return address.startsWith("http:") && !/^http:\/\/(127\.|localhost[:/])/.test(`${address}/`);
}
