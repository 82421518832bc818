import { planned } from "./planned.ts";
import { choice, flag, list, section, text } from "./value.ts";
import * as words from "./words.ts";

export const extensions = (about: string) =>
  list(
    text({
      about: "A system extension: owner/name.",
      example: "siderolabs/iscsi-tools",
      pattern: words.EXTENSION,
      check: words.extension,
    }),
    { about, example: "[siderolabs/iscsi-tools]", byDefault: [], check: words.noneTwice },
  );

export const kernelArgs = (about: string) =>
  list(
    text({
      about: "One kernel argument; a leading - removes one of Talos's own.",
      example: "console=ttyS0",
      pattern: words.KERNEL_ARG,
      check: words.kernelArg,
    }),
    { about, example: "[console=ttyS0]", byDefault: [], check: words.noneTwice },
  );

export const image = (more: object) =>
  section("The Talos image the machines boot.", {
    ...more,
    factory: text({
      about: "Image factory that builds the image.",
      example: "https://factory.talos.dev",
      byDefault: "https://factory.talos.dev",
      check: words.webAddress("the factory's base address, such as https://factory.talos.dev"),
    }).optional(),
    schematic: text({
      about: "Id of an existing schematic of the factory, instead of extensions and kernelArgs.",
      example: "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba",
      pattern: words.SCHEMATIC,
      check: words.schematic,
    }).optional(),
    extensions: extensions("System extensions in the image of every node.").optional(),
    kernelArgs: kernelArgs("Kernel arguments in the image of every node.").optional(),
    arch: choice({ about: "Processor architecture of the machines.", of: ["amd64", "arm64"], byDefault: "amd64" }).optional(),
    secureboot: flag({
      about: "Whether machines boot with Secure Boot, from a signed image whose keys are enrolled.",
      byDefault: false,
    }).optional(),
    ...planned.image,
  });
