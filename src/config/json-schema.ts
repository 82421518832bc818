import * as z from "zod";
import { configSchema } from "./schema/schema.ts";

/** The schema in the language editors read, for completion and hints while typing. The copy in schema/ is compared by a test. */
export function configJsonSchema(): Record<string, unknown> {
  // Draft 7 is what the common YAML language server understands best.
  const schema = z.toJSONSchema(configSchema, { io: "input", target: "draft-7" });
  return {
    ...JSON.parse(JSON.stringify(schema)),
    title: "Talosmith config",
    if: { properties: { platform: { const: "proxmox" } } },
    // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word.
    then: { required: ["proxmox"] },
  };
}
