import { createHash } from "node:crypto";
import { Document, isScalar, parseDocument, visit } from "yaml";
import * as z from "zod";
import { styleOf } from "./go-scalar.ts";
import { Refused } from "./reply.ts";

/** Fields in the order of the canonical form, which determines the id (docs/facts/talos.md#schematics). */
const shape = z.strictObject({
  owner: z.string().optional(),
  overlay: z
    .strictObject({
      image: z.string().default(""),
      name: z.string().default(""),
      options: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  customization: z
    .strictObject({
      embeddedMachineConfiguration: z.string().optional(),
      extraKernelArgs: z.array(z.string()).optional(),
      meta: z.array(z.strictObject({ key: z.int().min(0).max(255).default(0), value: z.string().default("") })).optional(),
      systemExtensions: z.strictObject({ officialExtensions: z.array(z.string()).optional() }).optional(),
      bootloader: z.enum(["auto", "dual-boot", "grub", "sd-boot"]).optional(),
      secureboot: z
        .strictObject({ enrollKeys: z.string().optional(), includeWellKnownCertificates: z.boolean().optional() })
        .optional(),
      diskImage: z.strictObject({ sectorSize: z.int().min(0).optional() }).optional(),
    })
    .default({}),
});

export type Schematic = z.infer<typeof shape>;

/** Parses YAML; JSON is YAML as well. */
export function parseSchematic(text: string): Schematic {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw new Refused(400, `yaml: ${error.message}`);
  if (document.contents === null) throw new Refused(400, "EOF");
  const read = shape.safeParse(withoutNulls(document.toJS()));
  if (!read.success) {
    const problems = read.error.issues.map((issue) => `  ${issue.path.join(".") || "schematic"}: ${issue.message}`);
    throw new Refused(400, `yaml: unmarshal errors:\n${problems.join("\n")}`);
  }
  if (read.data.owner) throw new Refused(400, "owner field is only supported in Enterprise edition");
  return read.data;
}

export function schematicId(canonical: string): string {
  return createHash("sha256").update(canonical).digest("hex");
}

/**
 * Writes the canonical form: fields in the order of the table above, empty values omitted except `customization`, four blanks, lists below their
 * key.
 */
export function canonicalYaml({ overlay, customization }: Schematic): string {
  const hasOverlay = overlay !== undefined && (overlay.image !== "" || overlay.name !== "" || !isEmpty(overlay.options));
  const document = new Document({
    ...(hasOverlay && {
      overlay: {
        image: overlay.image,
        name: overlay.name,
        ...(!isEmpty(overlay.options) && { options: sorted(overlay.options) }),
      },
    }),
    customization: inOrder(customization),
  });
  visit(document, {
    Scalar(_, node) {
      if (isScalar(node) && typeof node.value === "string") node.type = styleOf(node.value);
    },
  });
  return document.toString({ indent: 4, lineWidth: 0 });
}

function inOrder(customization: Schematic["customization"]): Record<string, unknown> {
  const { embeddedMachineConfiguration, extraKernelArgs, meta, systemExtensions, bootloader, secureboot, diskImage } =
    customization;
  const fields = {
    embeddedMachineConfiguration,
    extraKernelArgs,
    meta: meta?.map(({ key, value }) => ({ key, value })),
    systemExtensions: withoutEmpty({ officialExtensions: systemExtensions?.officialExtensions }),
    // The default value, which counts as absent.
    bootloader: bootloader === "auto" ? undefined : bootloader,
    secureboot: withoutEmpty({
      enrollKeys: secureboot?.enrollKeys,
      includeWellKnownCertificates: secureboot?.includeWellKnownCertificates,
    }),
    diskImage: withoutEmpty({ sectorSize: diskImage?.sectorSize }),
  };
  return withoutEmpty(fields);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "" || value === false || value === 0) return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

/** A null counts as an absent field. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutNulls(member)]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}
