import { choice } from "../../../../config/schema/value.ts";

/** How machines get the Talos image. */
export const image = {
  method: choice({
    about:
      "On Proxmox: import writes the image directly to each machine's disk; template creates one template per host and clones it; iso boots an installation ISO that writes the disk.",
    of: ["import", "template", "iso"],
    byDefault: "import",
  }).optional(),
  clone: choice({
    about:
      "For method: template: full copies, or linked clones, which are faster and smaller, but bind the machine to its template and host.",
    of: ["full", "linked"],
    byDefault: "full",
  }).optional(),
};
