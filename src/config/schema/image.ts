import { planned } from "./planned.ts";
import { choice, list, section, text, type Wrong } from "./value.ts";
import * as words from "./words.ts";

export const image = section("The Talos image the machines boot.", {
  method: choice({
    about: "import writes the image straight to each machine's disk; template makes one template for each host and clones it.",
    of: ["import", "template"],
    planned: { iso: "use import (the default): it needs no boot order and no installation step" },
    byDefault: "import",
  }).optional(),
  factory: text({
    about: "Image factory the image is asked from.",
    example: "https://factory.talos.dev",
    byDefault: "https://factory.talos.dev",
    check: factory,
  }).optional(),
  extensions: list(
    text({
      about: "A system extension: owner/name.",
      example: "siderolabs/iscsi-tools",
      pattern: words.EXTENSION,
      check: words.extension,
    }),
    {
      about: "System extensions baked into the image of every node.",
      example: "[siderolabs/iscsi-tools]",
      byDefault: [],
      check: words.noneTwice,
    },
  ).optional(),
  kernelArgs: list(
    text({
      about: "One kernel argument; a leading - removes one of Talos's own.",
      example: "console=ttyS0",
      pattern: words.KERNEL_ARG,
      check: words.kernelArg,
    }),
    {
      about: "Kernel arguments baked into the image of every node.",
      example: "[console=ttyS0]",
      byDefault: [],
      check: words.noneTwice,
    },
  ).optional(),
  ...planned.image,
});

function factory(value: string): Wrong | undefined {
  const wrong: Wrong = { says: "is no web address", hint: "write the factory's base address, such as https://factory.talos.dev" };
  if (!URL.canParse(value)) return wrong;
  const url = new URL(value);
  const clean =
    /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return clean ? undefined : wrong;
}
