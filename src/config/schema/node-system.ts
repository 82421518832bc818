import * as z from "zod";
import { gpu } from "./gpu.ts";
import { extensions, kernelArgs } from "./image.ts";
import { patchList } from "./patches.ts";
import { leaves, list, section, text, textMap, type Wrong } from "./value.ts";
import * as words from "./words.ts";

/** Names of kernel parameters, with dots or slashes between the parts. */
const SYSCTL = /^[a-z0-9_]+([./][A-Za-z0-9_*:@-]+)+$/;
const MODULE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const PARAMETER = /^[A-Za-z0-9_.-]+(=\S*)?$/;

function sysctl(name: string): Wrong | undefined {
  return SYSCTL.test(name)
    ? undefined
    : { says: "is not a kernel setting", hint: "write it as sysctl does, such as net.core.somaxconn", on: "key" };
}

const moduleName = text({
  about: "A kernel module.",
  example: "nbd",
  pattern: MODULE,
  check: words.named(MODULE, "a kernel module", "nbd"),
});

const kernelModule = z
  .union([
    moduleName,
    section("A kernel module with parameters.", {
      name: text({
        about: "Name of the module.",
        example: "nbd",
        pattern: MODULE,
        check: words.named(MODULE, "a kernel module", "nbd"),
      }),
      parameters: list(
        text({
          about: "One parameter.",
          example: "nbds_max=16",
          check: (value) =>
            PARAMETER.test(value)
              ? undefined
              : { says: "is not a module parameter", hint: "write one parameter per item, such as nbds_max=16" },
        }),
        { about: "Its parameters.", example: "[nbds_max=16]", byDefault: [] },
      ).optional(),
    }),
  ])
  .register(leaves, { example: "nbd", typeHint: "write the module's name, or { name: nbd, parameters: [nbds_max=16] }" });

/** Settings of a node's Talos image and kernel. */
export const systemSettings = {
  extensions: extensions("System extensions for this node, added to those of the defaults and of image.").optional(),
  kernelArgs: kernelArgs("Kernel arguments for this node, added to those of the defaults and of image.").optional(),
  gpu: gpu(
    "Driver for the node's GPU: NVIDIA's open kernel modules or its proprietary ones (nonfree), of the newest branch or the long-term one (lts). The needed extensions are added.",
  ),
  sysctls: textMap({
    about: "Kernel parameters (sysctl), added to those of the defaults.",
    example: '{ vm.nr_hugepages: "1024" }',
    key: sysctl,
    value: (value) => (/[\n\r]/.test(value) ? { says: "has more than one line", hint: "write the value alone" } : undefined),
  }).optional(),
  kernelModules: list(kernelModule, {
    about: "Kernel modules to load, added to those of the defaults: names, or { name, parameters }.",
    example: "[nbd]",
    byDefault: [],
  }).optional(),
  patches: patchList(
    "Talos patches for this node, inline or in files, applied after those of patches and of the defaults.",
  ).optional(),
};
