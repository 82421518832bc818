import { basename, join, relative, resolve } from "node:path";
import { shellWord } from "@talosmith/lib/shell-word.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { type Check, check, type Finding } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER, paths } from "../../environment/folder.ts";

/** Names of files that give access to the cluster or its hosts. */
const SECRET =
  /^(secrets\.yaml|age\.agekey|talosconfig|kubeconfig|controlplane\.yaml|worker\.yaml|patch-.+\.yaml|wg-.+\.conf|.*-token)$/;
/** Name patterns of copies made by editors, users and killed commands. */
const BEFORE = /^[.#]+/;
const BEHIND = /(~|#|[.-](bak|backup|copy|new|old|orig|save|sw[a-z]|tmp|\d[\dTZ:-]*|[0-9a-f]{16})\d*)+$/i;

/** Checks that only the owner can access the folder and its secret files, and that they are not links. */
export function folderIsPrivate(env: Environment): Check {
  return check({
    id: "preflight/folder",
    stage: "preflight",
    title: `environment ${env.shown}`,
    run: async ({ world: { files } }) => {
      const found = [
        ...[env.folder, paths.state(env.folder)].flatMap((path) => openFolder(env, files, path)),
        ...secretFiles(env, files).flatMap((path) => [...openFile(env, files, path), ...link(env, files, path)]),
      ];
      if (found.length > 0) return found;
      return [{ level: "ok", code: "FOLDER", message: "config is valid; secrets are readable by you alone" }];
    },
  });
}

function secretFiles({ folder, tokenReference = "" }: Environment, files: Files): string[] {
  const isSecret = (name: string) => [name, name.replace(BEFORE, "").replace(BEHIND, "")].some((one) => SECRET.test(one));
  const [, token] = /^\$\{file:([^}]+)\}$/.exec(tokenReference) ?? [];
  const all = [folder, paths.copies(folder)].flatMap((where) =>
    (files.list(where) ?? []).filter(isSecret).map((name) => join(where, name)),
  );
  const snapshots = (files.list(paths.snapshots(folder)) ?? []).map((name) => join(paths.snapshots(folder), name));
  return [...new Set([...all, ...snapshots, ...(token === undefined ? [] : [resolve(folder, token)])])];
}

const isOpen = (files: Files, path: string) => ((files.stat(path)?.mode ?? 0) & 0o077) !== 0;

/** The path as the user would write it. */
function shownPath({ folder, shown }: Environment, path: string): string {
  const inside = relative(folder, path);
  return inside.startsWith("..") ? path : join(shown, inside);
}

function openFolder(env: Environment, files: Files, path: string): Finding[] {
  if (!isOpen(files, path)) return [];
  const shown = shownPath(env, path);
  const message = `other users can read the folder ${shown}, and may be able to replace files in it`;
  return [{ level: "warn", code: "FOLDER_OPEN", message, hint: `chmod ${PRIVATE_FOLDER.toString(8)} ${shellWord(shown)}` }];
}

function openFile(env: Environment, files: Files, path: string): Finding[] {
  if (!isOpen(files, path)) return [];
  const shown = shownPath(env, path);
  const message = `other users can read ${shown}, which gives full access to the cluster`;
  return [{ level: "warn", code: "FOLDER_OPEN", message, hint: `chmod ${PRIVATE_FILE.toString(8)} ${shellWord(shown)}` }];
}

/** The target's permissions are checked like those of other files; who can replace the target is not known. */
function link(env: Environment, files: Files, path: string): Finding[] {
  const target = files.linkTarget(path);
  if (target === undefined) return [];
  const shown = shownPath(env, path);
  const [from, beside] = [shellWord(shown), shellWord(join(shown, "..", `.${basename(shown)}.own`))];
  return [
    {
      level: "warn",
      code: "FOLDER_LINK",
      message: `${shown} is a link to ${target}: users who can write there can replace it, and a command that rewrites it leaves that file behind`,
      hint: `replace the link by the file:  (umask 077; cp ${from} ${beside} && mv ${beside} ${from})`,
    },
  ];
}
