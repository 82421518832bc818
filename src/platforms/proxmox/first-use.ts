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

const UNPINNED = /^proxmox\.tls(\.fingerprint)? (is missing|still holds a placeholder)$/;

/**
 * When all that is wrong with the config is that nothing says which certificate the Proxmox API has, the one it shows is shown to the person,
 * and once they have agreed it is written into the config. Without a person it is only named. No flag agrees.
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
  /** The file with a fingerprint in its place. */
  filled(fingerprint: string): string;
  url: string;
  /** The address as it stands there: it may be a reference. */
  written: string;
}

/** Where the fingerprint belongs: beside the address, in whichever file that is. */
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
      message: `Unable to see which certificate ${host} has: ${seen.why}`,
      hint: `check proxmox.url, and that it can be reached; then run the same again. ${place.file} must say proxmox.tls. Nothing was sent.`,
    });
  const { fingerprint } = seen;
  const refused = (message: string) =>
    userError("TLS_UNPINNED", {
      message,
      detail: `it shows ${fingerprint}\nNothing was sent.`,
      hint: `${COMPARE}\nwhen it is the same, put it into ${place.file}, under proxmox:\n  tls: { fingerprint: "${fingerprint}" }`,
    });
  if (ask === undefined)
    throw refused(`Unable to trust ${host}: nothing says which certificate it has, and there is nobody to ask`);
  bus.emit({
    type: "notice",
    level: "warn",
    message: `${host} is met for the first time. Its certificate has the SHA-256 fingerprint\n${fingerprint}`,
    hint: COMPARE,
  });
  const answer = await ask(`Is it the same there? Then only this certificate is trusted from now on. [y/N] `);
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw refused(`Unable to trust ${host}: its certificate was not confirmed`);
  const text = place.filled(fingerprint);
  if (!isWritten(text, place, fingerprint))
    throw refused(`Unable to write the fingerprint into ${place.file}: it must be done by hand`);
  writeDurably(world.files, place.file, text, (world.files.stat(place.file)?.mode ?? 0o600) & 0o777);
  bus.emit({ type: "notice", level: "info", message: `${place.file} says it now: proxmox.tls.fingerprint` });
}

const COMPARE =
  "compare it with what the host itself says, as root there:\n  openssl x509 -in /etc/pve/local/pve-ssl.pem -noout -fingerprint -sha256\n(pveproxy-ssl.pem when it has a certificate of its own; the Proxmox UI shows both under the host, System, Certificates)";

/** What is written by hand can be odd: the text is read again before it is kept. */
function isWritten(text: string, { file, written: address }: Unpinned, fingerprint: string): boolean {
  const { tree } = parseYaml(makeSource(file, text));
  const at = (path: string[]) => (tree === undefined ? undefined : find(tree, path));
  const [written, same] = [at(["proxmox", "tls", "fingerprint"]), at(["proxmox", "url"])];
  return written?.kind === "scalar" && written.value === fingerprint && same?.kind === "scalar" && same.value === address;
}
