import { parseSize } from "@talosmith/lib/units.ts";
import { newestKubernetes, newestTalos } from "../../catalog/talos-versions.ts";
import { parseVersion } from "../../catalog/version.ts";
import { hostKeyFingerprint } from "../host-key.ts";
import type { Wrong } from "./value.ts";

/** Checks of single values, each of which returns the problem. */

export const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Checks an RFC 1123 host name of one label. */
export function name(value: string): Wrong | undefined {
  if (NAME.test(value)) return undefined;
  const hint = "use lower-case letters, digits and hyphens, at most 63, with a letter or digit at both ends";
  const better = value
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 63);
  // Nothing is made of a value that is no attempt at a name: it could be a secret at the wrong key.
  return {
    says: "is not a valid host name",
    hint: NAME.test(better) && /^[\w. -]{1,63}$/.test(value) ? `${hint}, such as ${better}` : hint,
  };
}

export const LOGIN = /^[A-Za-z_][A-Za-z0-9._-]{0,63}$/;
export const login = named(LOGIN, "a user", "root");

export function hostKey(value: string): Wrong | undefined {
  if (hostKeyFingerprint(value) !== undefined) return undefined;
  if (/^(MD5:)?([0-9a-f]{2}:){15}[0-9a-f]{2}$/i.test(value))
    return {
      says: "is an MD5 fingerprint, which proves nothing",
      hint: "write the one that begins with SHA256:, as ssh-keygen -lf shows it",
    };
  return {
    says: "is not an SSH host key",
    hint: "use the output of this command, in quotes:\nssh-keyscan HOST 2>/dev/null | ssh-keygen -lf - | awk '{ print $2 }'",
  };
}

/** Makes a check for full versions; `releaseOf` knows a release of a minor version. */
function fullVersion(usual: string, releaseOf: (minor: string) => string | undefined) {
  return (value: string): Wrong | undefined => {
    if (parseVersion(value) !== undefined) return undefined;
    const guess = `v${value.replace(/^v/i, "")}`;
    if (parseVersion(guess) !== undefined) return { says: "is not a full version", hint: `write ${guess}` };
    const release = /^v1\.\d{1,3}$/.test(guess) ? releaseOf(guess) : undefined;
    return { says: "is not a full version", hint: `write it in full, such as ${release ?? usual}` };
  };
}

export const talosVersion = fullVersion("v1.13.9", newestTalos);
export const kubernetesVersion = fullVersion("v1.36.3", newestKubernetes);

export function size(value: string): Wrong | undefined {
  const parsed = parseSize(value);
  return parsed.ok ? undefined : { says: parsed.says, hint: parsed.hint };
}

export function wholeGiB(value: string): Wrong | undefined {
  const parsed = parseSize(value);
  if (!parsed.ok || parsed.mib % 1024 === 0) return size(value);
  return { says: "is not a whole number of GiB", hint: `write ${Math.ceil(parsed.mib / 1024)}GiB` };
}

/** Without flags, because editors get only the pattern. */
export const MAC = /^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$/;

export function mac(value: string): Wrong | undefined {
  if (!MAC.test(value))
    return { says: "is not a MAC address", hint: "write six pairs joined by colons, such as BC:24:11:00:00:11" };
  if (Number.parseInt(value.slice(0, 2), 16) % 2 === 1 || /^[0:]+$/.test(value))
    return { says: "is not a unicast MAC address", hint: "choose one whose second digit is even, such as BC:24:11:00:00:11" };
  return undefined;
}

/** Kernel arguments that no YAML writer quotes, so that talosmith can compute a schematic's id. */
export const KERNEL_ARG = /^-?[A-Za-z][A-Za-z0-9_.-]*(=([A-Za-z0-9_.,:=/+@%-]*[A-Za-z0-9_.,=/+@%-])?)?$/;

export function kernelArg(value: string): Wrong | undefined {
  if (/^(true|false|null|yes|no|on|off|y|n)$/i.test(value) || !KERNEL_ARG.test(value))
    return {
      says: "is not a plain kernel argument",
      hint: "write one argument per item, such as console=ttyS0, without spaces or quotes",
    };
  return undefined;
}

/** The SHA-256 of the schematic (docs/facts/talos.md#schematics). */
export const SCHEMATIC = /^[0-9a-f]{64}$/;

export function schematic(value: string): Wrong | undefined {
  if (SCHEMATIC.test(value)) return undefined;
  if (SCHEMATIC.test(value.toLowerCase())) return { says: "contains capital letters", hint: "write it in lower case" };
  if (/^[0-9a-f]{4,63}(\.*|…)$/i.test(value))
    return { says: "is only the beginning of a schematic id", hint: "write all 64 digits, as the image factory shows them" };
  return { says: "is not a schematic id", hint: "write its 64 hexadecimal digits, as the image factory shows them" };
}

/** `hint` continues "write …". */
export function webAddress(hint: string, schemes = /^https?:$/): (value: string) => Wrong | undefined {
  return (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const clean =
      url !== undefined && schemes.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === "";
    return clean && url.host !== "" ? undefined : { says: "is not a web address", hint: `write ${hint}` };
  };
}

export const EXTENSION = /^[a-z0-9][a-z0-9-]*\/[a-z0-9][a-z0-9.-]*$/;

export function extension(value: string): Wrong | undefined {
  if (EXTENSION.test(value)) return undefined;
  const full = EXTENSION.test(`siderolabs/${value}`) ? `siderolabs/${value}` : "siderolabs/iscsi-tools";
  return { says: "is not an extension name", hint: `write owner and name, such as ${full}` };
}

/** Makes a check for names of another system; `such` is an example. */
export function named(pattern: RegExp, what: string, such: string): (value: string) => Wrong | undefined {
  return (value) =>
    pattern.test(value) ? undefined : { says: `is not a valid name for ${what}`, hint: `write a name such as ${such}` };
}

export function noneTwice(items: readonly string[]): Wrong | undefined {
  const twice = items.find((item, index) => items.indexOf(item) !== index);
  return twice === undefined ? undefined : { says: `contains ${twice} twice`, hint: "remove one of the two" };
}
