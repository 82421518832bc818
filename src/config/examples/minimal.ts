import { isDeepStrictEqual } from "node:util";
import type { Path } from "@talosmith/lib/yaml/tree.ts";
import { type Document, isMap, isScalar, parseDocument, visit, type YAMLMap } from "yaml";
import { defaultKubernetes } from "../../catalog/talos-versions.ts";
import { minorOf, parseVersion } from "../../catalog/version.ts";
import { KeyTable } from "../key-table.ts";
import type { Platforms } from "../platform.ts";

/**
 * Makes a commented config as small as possible: without comments, values that are the default, and settings under `defaults` that are only
 * those of the example. `unanswered`: the config that was made without any answer.
 */
export function minimal(platforms: Platforms, text: string, unanswered: string): string {
  const [schema = ""] = text.split("\n", 1);
  const document = parseDocument(text);
  const example = parseDocument(unanswered);
  const table = new KeyTable(platforms);
  const usual = derivedDefaults(document);
  const isNeeded = (path: Path, value: unknown) =>
    table.at(path).required ||
    ![table.at(path).json.default, usual[path.join(".")], path[0] === "defaults" ? valueAt(example, path) : undefined].some(
      (known) => isDeepStrictEqual(value, known),
    );
  keep(document.contents as YAMLMap, [], isNeeded);
  withoutComments(document);
  return `${schema}\n${document.toString({ lineWidth: 0 })}`;
}

/** Removes what is not needed, and sections that are empty then. */
function keep(section: YAMLMap, path: Path, isNeeded: (path: Path, value: unknown) => boolean): void {
  section.items = section.items.filter(({ key, value }) => {
    const here = [...path, String(isScalar(key) ? key.value : key)];
    if (!isMap(value)) return isNeeded(here, (value as { toJSON(): unknown } | null)?.toJSON());
    keep(value, here, isNeeded);
    return value.items.length > 0;
  });
}

/** Defaults that follow from other values, by key. */
function derivedDefaults(document: Document): Readonly<Record<string, unknown>> {
  const talos = parseVersion(String(valueAt(document, ["cluster", "talos"])));
  return {
    ...(talos && { "cluster.kubernetes": defaultKubernetes(talos), "cluster.contract": minorOf(talos) }),
    "network.nameservers": [valueAt(document, ["network", "gateway"])],
  };
}

function valueAt(document: Document, path: Path): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<string | number, unknown> | undefined)?.[step], document.toJS());
}

function withoutComments(document: Document): void {
  document.commentBefore = null;
  document.comment = null;
  visit(document, {
    Node: (_, node) => {
      node.comment = null;
      node.commentBefore = null;
      node.spaceBefore = false;
    },
  });
}
