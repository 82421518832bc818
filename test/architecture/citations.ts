import { posix } from "node:path";
import type { SourceFile, Violation } from "./source-file.ts";

/** A path from the root of the repository, or the name of a source file or document, perhaps with a heading; not a pattern such as "src/<name>/x.ts". */
const CITED =
  /(?<![\w/.:@<>*…{}$-])(?:@talosmith\/|(?:\.\.?\/)+)?(?:(?:docs|src|packages|test|bench)\/[\w./-]*\w\/?|(?:[\w.-]+\/)*\w[\w.-]*\.(?:ts|js|md))(?:#[\w-]+)?(?![\w/-]*[\w<{*…])/g;
/** In an example of code; relative to the file that it is an example of. */
const IMPORT = /(?:from |import\()"[^"]*"/g;
const LINK = /\]\(([^):\s]+)\)/g;
const COMMENT = /(?:^\s*(?:\/\/|\/?\*)|\s\/\/ |\/\*\*? )(.*)/;
/** Most lines cite nothing, and are not looked at closely. */
const MAY_CITE = /\.(?:ts|js|md)\b|\b(?:docs|src|packages|test|bench)\/|\]\(/;

/** Files that programs write; "x.ts" and its like stand for any file. */
const NOT_KEPT = /^(?:report\.md|test\/flaky\.json|(?:.*\/)?[a-z]\.(?:integration\.)?(?:test\.)?ts)$/;

/** The paths and headings that exist. */
export interface Places {
  /** A file or folder, from the root of the repository. */
  has(path: string): boolean;
  /** Files whose path ends with this one. */
  ending(path: string): readonly string[];
  /** The headings of a document, as anchors of links. */
  anchors(path: string): ReadonlySet<string> | undefined;
}

export function placesOf(paths: readonly string[], documents: readonly SourceFile[]): Places {
  const known = new Set(paths.flatMap(withFolders));
  const byName = new Map<string, string[]>();
  for (const path of paths) byName.set(posix.basename(path), [...(byName.get(posix.basename(path)) ?? []), path]);
  const anchors = new Map(documents.map(({ path, text }) => [path, anchorsOf(text)]));
  return {
    has: (path) => known.has(path),
    ending: (path) => (byName.get(posix.basename(path)) ?? []).filter((one) => `/${one}`.endsWith(`/${path}`)),
    anchors: (path) => anchors.get(path),
  };
}

/** Paths in comments and documents that do not exist, and headings that their document does not have. */
export function brokenCitations(file: SourceFile, places: Places): Violation[] {
  const isDocument = file.path.endsWith(".md");
  return file.text.split("\n").flatMap((text, at) => {
    if (!MAY_CITE.test(text)) return [];
    const links = isDocument ? [...text.matchAll(LINK)].map(([, target = ""]) => target) : [];
    const said = isDocument ? text.replaceAll(LINK, "]").replaceAll(IMPORT, "") : (COMMENT.exec(text)?.[1] ?? "");
    const named = [...said.matchAll(CITED)].map(([cited]) => cited).filter((cited) => !NOT_KEPT.test(cited));
    const broken = [
      ...links.filter((target) => !isThere(target, [linked(file.path, target)], places)),
      ...named.filter((cited) => !isThere(cited, meant(file.path, cited, places), places)),
    ];
    return broken.map((cited) => ({ path: file.path, line: at + 1, message: `${cited} does not exist` }));
  });
}

function isThere(cited: string, candidates: readonly string[], places: Places): boolean {
  const anchor = cited.split("#")[1];
  const found = candidates.filter((path) => places.has(path));
  return anchor === undefined ? found.length > 0 : found.some((path) => places.anchors(path)?.has(anchor));
}

function linked(from: string, target: string): string {
  const path = target.split("#")[0] ?? "";
  return path === "" ? from : posix.join(posix.dirname(from), path).replace(/\/$/, "");
}

/** In src/ and packages/ a bare name means a file in the same folder, above or below it; a path with folders, and any name elsewhere, may mean any file. */
function meant(from: string, cited: string, places: Places): string[] {
  const path = cited
    .replace(/#.*|\/$/g, "")
    .replace("@talosmith/", "packages/")
    // In the head of a patch.
    .replace(/^[ab]\/(?=src\/|packages\/)/, "");
  const folder = posix.dirname(from);
  const above = folder.split("/").map((_, depth, all) => posix.join(...all.slice(0, depth + 1), path));
  const anywhere = path.includes("/") || !/^(?:src|packages)\//.test(from);
  return [path, ...above, ...places.ending(path).filter((one) => anywhere || one.startsWith(`${folder}/`))];
}

function withFolders(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, depth) => parts.slice(0, depth + 1).join("/"));
}

/** As GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title.toLowerCase());
  return new Set(titles.map((title) => title.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-")));
}
