import * as z from "zod";
import { configSchema } from "./schema/schema.ts";

/** The schema in the language editors read, for completion and hints while typing. The copy in schema/ is compared by a test. */
export function configJsonSchema(): Record<string, unknown> {
  // Draft 7 is what the common YAML language server understands best.
  const schema = z.toJSONSchema(configSchema, { io: "input", target: "draft-7" });
  return {
    ...JSON.parse(JSON.stringify(schema)),
    title: "Talosmith config",
    allOf: [
      when({ platform: { const: "proxmox" } }, { required: ["proxmox"] }),
      when({ platform: { enum: ["proxmox", "metal"] } }, { properties: { network: { required: ["cidr", "gateway"] } } }),
      when({ platform: { const: "vps" } }, { required: ["firewall"] }),
      {
        properties: {
          firewall: { anyOf: [{ required: ["admin"] }, { properties: { enabled: { const: false } }, required: ["enabled"] }] },
        },
      },
    ],
  };
}

/** What is needed only where other keys have these values. */
function when(properties: Record<string, unknown>, needed: Record<string, unknown>): Record<string, unknown> {
  // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word.
  return { if: { properties }, then: needed };
}
