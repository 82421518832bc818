import { writeDurably } from "@talosmith/lib/durable.ts";
import { remoteError, userError } from "@talosmith/lib/errors.ts";
import { parseYaml } from "@talosmith/lib/yaml/parse.ts";
import { makeSource } from "@talosmith/lib/yaml/source.ts";
import { find, type Tree } from "@talosmith/lib/yaml/tree.ts";
import { resolveReferences } from "../../config/references.ts";
import { isPlaceholder } from "../../config/spellings/placeholders.ts";
import { readSpelled } from "../../config/spellings/spelling.ts";
import type { CommandSession, PlatformSession } from "../command-session.ts";
import type { Asking } from "../definition.ts";
import { apiUrl } from "./config/schema/section.ts";
import { certificateOf } from "./init-look.ts";

const UNPINNED = /^proxmox\.tls(\.fingerprint)? (is missing|still contains a placeholder)$/;

/**
 * Pins the certificate of the Proxmox API if a missing fingerprint is the only problem of the config: shows the fingerprint, and writes it
 * into the config once the user has confirmed it. Without a terminal it is only reported. No flag confirms it.
 */
export async function trustOnFirstUse(
  session: PlatformSession,
  folder: string,
  problems: readonly string[],
  ask?: Asking,
): Promise<boolean> {
  const place = problems.every((message) => UNPINNED.test(message)) ? unpinnedIn(session, folder) : undefined;
  if (place === undefined) return false;
  await pin(session, place, ask);
  return true;
}

interface Unpinned {
  file: string;
  /** Returns the file's text with the fingerprint added. */
  filled(fingerprint: string): string;
  url: string;
  /** The address as the file has it, which may be a reference. */
  written: string;
}

/** The file that the fingerprint belongs into: the one that has proxmox.url. */
function unpinnedIn({ world, redactor, platforms }: PlatformSession, folder: string): Unpinned | undefined {
  for (const tree of readSpelled(platforms, world.files, folder).trees) {
    const section = find(tree, ["proxmox"]);
    const url = find(resolveReferences(tree, { world, folder, redactor }).tree, ["proxmox", "url"]);
    if (section?.kind !== "map" || url?.kind !== "scalar" || typeof url.value !== "string") continue;
    if (apiUrl(url.value) !== undefined) return undefined;
    const { file, text } = tree.at.source;
    const filled = (fingerprint: string) => filledIn(text, section, `"${fingerprint}"`);
    return { file, url: url.value, written: url.written ?? url.value, filled };
  }
  return undefined;
}

/** Everything else in the text stays as it is, comments included. */
function filledIn(text: string, section: Tree, fingerprint: string): string {
  const blank = find(section, ["tls", "fingerprint"]) ?? find(section, ["tls"]);
  const whole = `{ fingerprint: ${fingerprint} }`;
  if (blank?.kind === "scalar" && isPlaceholder(blank.value)) {
    const value = find(section, ["tls", "fingerprint"]) === blank ? fingerprint : whole;
    return text.slice(0, blank.at.start) + value + text.slice(blank.at.end);
  }
  const [first] = section.kind === "map" ? [...section.entries.values()].map(({ key }) => key.start).sort((a, b) => a - b) : [];
  if (first === undefined) return text;
  const indent = text.slice(text.lastIndexOf("\n", first) + 1, first);
  // In braces, or on a line of its own with what is already there.
  const after = /^ *$/.test(indent) ? `\n${indent}` : ", ";
  return `${text.slice(0, first)}tls: ${whole}${after}${text.slice(first)}`;
}

async function pin({ world, bus, signal }: CommandSession, place: Unpinned, ask: Asking | undefined): Promise<void> {
  const { host } = new URL(place.url);
  const seen = await certificateOf(world, place.url, signal);
  if ("why" in seen)
    throw remoteError("TLS_UNPINNED", {
      message: `Unable to read the certificate of ${host}: ${seen.why}`,
      hint: `check proxmox.url and that the server can be reached, then run the command again; or set proxmox.tls in ${place.file}. Nothing was sent.`,
    });
  const { fingerprint } = seen;
  const refused = (message: string) =>
    userError("TLS_UNPINNED", {
      message,
      detail: `it shows ${fingerprint}\nNothing was sent.`,
      hint: `${COMPARE}\nif it is the same, add it to ${place.file}, under proxmox:\n  tls: { fingerprint: "${fingerprint}" }`,
    });
  if (ask === undefined)
    throw refused(
      `Unable to trust ${host}: the config has no fingerprint of its certificate, and there is no terminal to confirm it`,
    );
  bus.emit({
    type: "notice",
    level: "warn",
    message: `first connection to ${host}. Its certificate has the SHA-256 fingerprint\n${fingerprint}`,
    hint: COMPARE,
  });
  const answer = await ask(`Is it the same there? From now on only this certificate is trusted. [y/N] `);
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw refused(`Unable to trust ${host}: its certificate was not confirmed`);
  const text = place.filled(fingerprint);
  if (!isWritten(text, place, fingerprint)) throw refused(`Unable to write the fingerprint into ${place.file}: add it by hand`);
  writeDurably(world.files, place.file, text, (world.files.stat(place.file)?.mode ?? 0o600) & 0o777);
  bus.emit({ type: "notice", level: "info", message: `wrote proxmox.tls.fingerprint to ${place.file}` });
}

const COMPARE =
  "compare it with the certificate on the host itself, as root there:\n  openssl x509 -in /etc/pve/local/pve-ssl.pem -noout -fingerprint -sha256\n(pveproxy-ssl.pem when it has a certificate of its own; the Proxmox UI shows both under the host, System, Certificates)";

/** Reads the new text again before it is written: a config written by hand can have an unusual form. */
function isWritten(text: string, { file, written: address }: Unpinned, fingerprint: string): boolean {
  const { tree } = parseYaml(makeSource(file, text));
  const at = (path: string[]) => (tree === undefined ? undefined : find(tree, path));
  const [written, same] = [at(["proxmox", "tls", "fingerprint"]), at(["proxmox", "url"])];
  return written?.kind === "scalar" && written.value === fingerprint && same?.kind === "scalar" && same.value === address;
}
