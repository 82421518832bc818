import { basename, join, resolve } from "node:path";
import { asTalosmithError, messageOf } from "@talosmith/lib/errors.ts";
import { type Environment, environmentFolder } from "../../environment/environment.ts";
import type { SupportPart } from "../../platforms/definition.ts";
import { openEnvironment } from "../../platforms/environment.ts";
import { openAccess } from "../access.ts";
import { writeArchive } from "./archive.ts";
import { folderParts } from "./folder-parts.ts";
import { ending, type SupportSession } from "./part.ts";
import { remoteParts } from "./remote-parts.ts";

export interface SupportWishes {
  /** The file to write; absent: a new file in the current folder. */
  to?: string;
  /** "talosmith 0.7.0" and what it runs on. */
  versions: Readonly<Record<string, string>>;
}

/** Parts that take longer are listed as missing. */
const PATIENCE_MS = 30_000;
/** The largest size of all texts together. */
const LARGEST = 20 * 1024 * 1024;

interface Missing {
  name: string;
  why: string;
}

/** `talosmith support`: collects diagnostic information in one file without secrets. Changes nothing else. */
export async function collectSupport(session: SupportSession, folder: string, wishes: SupportWishes): Promise<number> {
  const { world, bus } = session;
  environmentFolder(world, folder);
  const opened = openedIfSound(session, folder);
  const name = "env" in opened ? opened.env.config.cluster.name : basename(resolve(folder));
  const time = new Date(world.clock.now()).toISOString().slice(0, 19).replaceAll(":", "-");
  const path = wishes.to ?? `support-${name.replaceAll(/[^\w.-]/g, "_")}-${time}Z.tar.gz`;
  const { texts, missing, abouts } = await collected(session, folder, opened);
  if ("why" in opened) missing.unshift({ name: "everything from the machines and the cluster", why: opened.why });
  texts.set("versions.json", `${JSON.stringify(wishes.versions, null, 2)}\n`);
  texts.set("README.txt", readme(texts, missing));
  const size = await writeArchive(world, path, redacted(session, texts));
  bus.emit({
    type: "result",
    result: {
      kind: "facts",
      name: "support",
      title: `wrote ${path}: known secrets are removed, but look through it before you send it`,
      facts: [
        { key: "file", label: "file", value: path },
        { key: "size", label: "size", value: `${Math.ceil(size / 1024)} KiB` },
        { key: "holds", label: "holds", value: abouts },
        ...missing.map(({ name: what, why }) => ({ key: `without ${what}`, label: "without", value: `${what}: ${why}` })),
      ],
      next: [`tar -tzf ${path}`, `tar -xzOf ${path} | less`],
    },
  });
  return 0;
}

type Opened = { env: Environment } | { why: string };

/** Opens the environment, or returns the reason: an invalid config must not prevent a bundle. */
function openedIfSound({ world, redactor }: SupportSession, folder: string): Opened {
  try {
    return { env: openEnvironment(world, folder, redactor) };
  } catch (error) {
    const { message, problems } = asTalosmithError(error);
    return { why: [message, ...problems.map((one) => one.message)].slice(0, 5).join("; ") };
  }
}

async function collected(session: SupportSession, folder: string, opened: Opened) {
  const access = "env" in opened ? await openAccess(session, opened.env) : undefined;
  try {
    const remote = "env" in opened && access ? await remoteParts(session, opened.env, access) : [];
    const parts = [...folderParts(session.world, folder), ...remote];
    const answers = await Promise.all(parts.map((part) => answerOf(session, part)));
    return sorted(parts, answers);
  } finally {
    access?.close();
  }
}

async function answerOf({ world, signal }: SupportSession, part: SupportPart): Promise<{ text: string } | { why: string }> {
  const late = new AbortController();
  const done = new AbortController();
  void world.clock.sleep(PATIENCE_MS, done.signal).then(
    () => late.abort(new Error(`no answer in ${PATIENCE_MS / 1000} s`)),
    () => {},
  );
  const gone = new Promise<never>((_, reject) => late.signal.addEventListener("abort", () => reject(late.signal.reason)));
  try {
    return { text: ending(await Promise.race([part.read(AbortSignal.any([signal, late.signal])), gone])) };
  } catch (error) {
    signal.throwIfAborted();
    return { why: messageOf(error) };
  } finally {
    done.abort();
  }
}

function sorted(parts: readonly SupportPart[], answers: readonly ({ text: string } | { why: string })[]) {
  const texts = new Map<string, string>();
  const missing: Missing[] = [];
  const abouts = new Set<string>();
  let size = 0;
  for (const [index, { name, about }] of parts.entries()) {
    const answer = answers[index] ?? { why: "it was not read" };
    if ("text" in answer && size + answer.text.length > LARGEST)
      missing.push({ name, why: "the bundle would be too large with it" });
    else if ("text" in answer) {
      size += answer.text.length;
      texts.set(name, answer.text);
      abouts.add(about);
    } else missing.push({ name, why: answer.why });
  }
  return { texts, missing, abouts: [...abouts] };
}

/** Removes known secrets from all texts and file names, whatever was removed before. */
function redacted({ redactor }: SupportSession, texts: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...texts].map(([name, text]) => [redactor.text(name), redactor.text(text)]));
}

function readme(texts: ReadonlyMap<string, string>, missing: readonly Missing[]): string {
  return [
    "What talosmith support collected. Known secrets, and what looks like one, are replaced by (secret).",
    "It contains addresses, names of machines and the text of your config: look through it before you send it.",
    "Never in it: secrets.yaml, age.agekey, talosconfig, kubeconfig, machine configs.",
    "",
    ...[...texts.keys()].map((name) => join("  ", name).trim()),
    ...(missing.length > 0 ? ["", "Missing, and why:", ...missing.map(({ name, why }) => `  ${name}: ${why}`)] : []),
    "",
  ].join("\n");
}
