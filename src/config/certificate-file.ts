import type { World } from "@talosmith/lib/world/world.ts";
import { decodeUtf8 } from "@talosmith/lib/yaml/source.ts";
import { readBytes } from "./files.ts";
import { expandPath } from "./references.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/;

/** Reads a certificate from the value or from the file it names; else returns the problem, as words after "names a file that". */
export function certificateOf(written: string, world: World, folder: string): { pem: string } | { wrong: string } {
  // ${file:ca.pem} has brought the certificate itself.
  if (CERTIFICATE.test(written)) return { pem: written };
  const path = written.includes("\n") ? undefined : expandPath(written, world, folder);
  if (path === undefined)
    return {
      wrong: written.includes("\n") ? "cannot exist: the value has several lines" : "has a ~ in its path, but HOME is not set",
    };
  const bytes = readBytes(world.files, path);
  const text = typeof bytes === "string" ? undefined : decodeUtf8(bytes);
  if (text !== undefined && "text" in text && CERTIFICATE.test(text.text)) return { pem: text.text };
  return { wrong: typeof bytes === "string" ? bytes : "contains no certificate" };
}
