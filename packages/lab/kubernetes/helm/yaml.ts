import { parse } from "yaml";
import type { Loose } from "../objects.ts";

/** Reads YAML 1.1 as Helm does: "on" and "yes" are true. */
export function readYaml(text: string): Loose {
  return parse(text, { version: "1.1" });
}
