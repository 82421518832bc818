import { matchingPaths } from "../shell/pattern.ts";
import { everyPath, readFile } from "./files.ts";
import type { RootView } from "./state.ts";

/** One `iface` of interfaces(5). */
export interface Stanza {
  name: string;
  method: string;
  /** By their names; of those that come several times, the last. */
  options: Record<string, string>;
  lines: string[];
}

/** What /etc/network/interfaces and the files it sources say. */
export function stanzasOf(view: RootView, path = "/etc/network/interfaces"): { stanzas: Stanza[]; problems: string[] } {
  const stanzas: Stanza[] = [];
  const problems: string[] = [];
  let current: Stanza | undefined;
  for (const [index, raw] of (readFile(view, path) ?? "").split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [word = "", ...rest] = line.split(/\s+/);
    if (word === "iface") {
      const [name = "", family, method = ""] = rest;
      if (family !== "inet" && family !== "inet6")
        problems.push(`${path}: line${index + 1}: invalid address family '${family ?? ""}'`);
      current = { name, method, options: {}, lines: [] };
      stanzas.push(current);
    } else if (word === "auto" || word.startsWith("allow-")) current = undefined;
    else if (word === "source") {
      current = undefined;
      for (const file of matchingPaths(everyPath(view), [{ text: rest[0] ?? "", literal: false }], "/")) {
        const more = stanzasOf(view, file);
        stanzas.push(...more.stanzas);
        problems.push(...more.problems);
      }
    } else if (current) {
      current.options[word.replaceAll("_", "-")] = rest.join(" ");
      current.lines.push(line.replace(/\s+/, " "));
    } else problems.push(`${path}: line${index + 1}: error processing line '${line}'`);
  }
  return { stanzas, problems };
}
