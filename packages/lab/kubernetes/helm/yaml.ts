import { parse } from "yaml";
import type { Loose } from "../objects.ts";

/** As Helm reads it: YAML 1.1, in which "on" and "yes" are true. */
export function readYaml(text: string): Loose {
  return parse(text, { version: "1.1" });
}
