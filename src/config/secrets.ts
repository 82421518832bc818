import type { Mask } from "@talosmith/lib/yaml/frame.ts";
import type { Place, Source } from "@talosmith/lib/yaml/source.ts";
import { eachScalar, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";
import { isPlaceholder } from "./spellings/placeholders.ts";

/** The name of a token is no secret: …_token_id. */
const SECRET_KEY = /token(?!_id$)|password|passphrase|secret|credential|privatekey/i;

/** Sections with names that the user chooses, which do not show whether a value is a secret. */
const OWN_NAMES = new Set<unknown>(["labels", "annotations", "sysctls", "nodeLabels", "nodeAnnotations"]);

/** Whether the value at a path is a secret, by the names of its keys. */
export function isSecret(path: Path): boolean {
  if (path[0] === "addons") return isSecretOfAddon(path);
  const end = path.findIndex((step) => OWN_NAMES.has(step));
  const telling = path.slice(path[0] === "registries" ? 2 : 0, end === -1 ? undefined : end);
  return telling.some((step) => typeof step === "string" && SECRET_KEY.test(step));
}

/** Key names in chart values that contain a secret: they end with one of these words. */
const HOLDS_SECRET = /(token|password|passphrase|secret|credentials?|privatekey|agekey)$/i;

/** Judges only the last name, because the names above it are chosen by charts and users. */
function isSecretOfAddon(path: Path): boolean {
  if (path[1] === "secrets") return path[3] === "data";
  const name = String(path.slice(2).findLast((step) => typeof step === "string") ?? "");
  return path.includes("stringData") || (HOLDS_SECRET.test(name) && !/^existing/i.test(name));
}

/** Whether a text contains a private key, which is a secret at any path. */
export function holdsPrivateKey(text: string): boolean {
  return /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/.test(text);
}

/** Whether a text contains a private key or an age key. */
export function holdsAnyKey(text: string): boolean {
  return holdsPrivateKey(text) || /AGE-SECRET-KEY-1[0-9A-Z]/.test(text);
}

/** Every repetition is bounded: a hostile line must not take minutes. */
const KEY_AND_VALUE =
  /((?:token(?!_id\b)|password|passphrase|secret|credential|privatekey)[\w-]{0,40}["']?\s{0,8}:\s{1,80})((?:\$\{[^}$]*\}|[^\s,}#])(?:\$\{[^}$]*\}|[^,}])*)/gi;
/** The secret half of an API token, anywhere: nothing else in a config looks like it. Also the user info before the @ of a URL. */
const TOKEN_VALUE = /()([0-9a-f]{8}-[0-9a-f-]{20,})/gi;
const USER_IN_ADDRESS = /(\/\/)([^\s/@]+)(?=@)/g;

/** Masks a text except for its quotes and for references, which are not secret. */
function blank(text: string): string {
  const [, open = "", inner = "", close = ""] = /^(["'])(.*)(\1\s*)$/s.exec(text) ?? [];
  if (open !== "") return `${open}${blankAll(inner)}${close}`;
  return /^["']/.test(text) ? `${text.charAt(0)}${blankAll(text.slice(1))}` : blankAll(text);
}

function blankAll(text: string): string {
  return text.replaceAll(/\$\{[^}$]*\}|\S/g, (part) => (part.startsWith("${") ? part : "*"));
}

export function hideTokens(text: string): string {
  return text.replaceAll(TOKEN_VALUE, "(secret)");
}

/** The places of secrets in config files, so that no code frame shows them. */
export class SecretPlaces {
  readonly #places: Place[] = [];
  /** Many problems may stand in one line, and a line can be long. */
  readonly #masked = new Map<Source, Map<number, string>>();

  /** Remembers the secrets of one file, and tells `found` about each that is written out. */
  learn(tree: Tree, found: (value: string) => void, secretAt: (path: Path) => boolean = isSecret): void {
    this.#masked.clear();
    eachScalar(tree, (scalar, path) => {
      // A placeholder must stay visible, and as a secret it would mask the same word everywhere.
      if (scalar.value === null || isPlaceholder(scalar.value)) return;
      if (!(secretAt(path) || holdsAnyKey(String(scalar.value)))) return;
      this.#places.push(scalar.definedAt ?? scalar.at);
      if (!String(scalar.value).includes("${")) found(String(scalar.value));
    });
  }

  /** Masks known places, and also by patterns, because a file with a syntax error has no places. */
  readonly mask: Mask = (source: Source, start: number, line: string): string => {
    const masked = this.#masked.get(source) ?? new Map<number, string>();
    this.#masked.set(source, masked);
    const known = masked.get(start);
    if (known !== undefined) return known;
    let shown = line;
    for (const place of this.#places) {
      if (place.source !== source) continue;
      const from = Math.max(0, place.start - start);
      const to = Math.min(line.length, place.end - start);
      if (from < to) shown = shown.slice(0, from) + blank(shown.slice(from, to)) + shown.slice(to);
    }
    for (const pattern of [KEY_AND_VALUE, TOKEN_VALUE, USER_IN_ADDRESS])
      shown = shown.replaceAll(pattern, (_, before: string, secret: string) => before + blank(secret));
    masked.set(start, shown);
    return shown;
  };
}
