import { choice } from "../../../../config/schema/value.ts";

/** How machines get the Talos image. */
export const image = {
  method: choice({
    about:
      "On Proxmox: import writes the image straight to each machine's disk; template makes one template for each host and clones it; iso boots an installation medium that writes the disk.",
    of: ["import", "template", "iso"],
    byDefault: "import",
  }).optional(),
  clone: choice({
    about:
      "How templates are cloned: full, or linked, which is faster and smaller, and ties the machine to its template and host. For method: template.",
    of: ["full", "linked"],
    byDefault: "full",
  }).optional(),
};
