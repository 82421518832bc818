import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Field, fieldsOf, kindsOf } from "../../../src/talos/config/fields/field.ts";
import { MINORS, type Minor } from "../../../src/talos/config/fields/kinds.ts";

/** What the oracle says about one place. */
interface Theirs {
  is: string;
  go?: string;
  pointer?: boolean;
  replace?: boolean;
  merger?: boolean;
  words?: string[];
  of?: Theirs;
  keys?: Record<string, Theirs>;
}

/** Types of Talos's that read themselves, as our tables call them. */
const WORDS: Readonly<Record<string, string>> = {
  "netip.Prefix": "prefix",
  "network.Prefix": "prefix",
  "meta.Prefix": "prefix",
  "netip.Addr": "address",
  "network.Addr": "address",
  "meta.Addr": "address",
  "netip.AddrPort": "address:port",
  "network.AddrPort": "address:port",
  "meta.AddrPort": "address:port",
  "nethelpers.HardwareAddr": "mac",
  "nethelpers.RoutingTable": "table",
  "nethelpers.FailOverMAC": "fail over",
  "cel.Expression": "expression",
  "meta.URL": "url",
  "v1alpha1.Endpoint": "url",
  "network.PortRange": "ports",
  "time.Duration": "duration",
  "block.Size": "size",
  "block.ByteSize": "bytes",
  "x509.PEMEncodedCertificate": "certificate",
  "x509.PEMEncodedCertificateAndKey": "certificate+key",
  "x509.PEMEncodedKey": "key",
  "v1alpha1.ArgValue": "argument",
  "meta.ArgValue": "argument",
  "v1alpha1.DiskSize": "disk size",
  "v1alpha1.InstallDiskSizeMatcher": "size condition",
  "v1alpha1.Base64Bytes": "base64",
};

const wrong: string[] = [];
let compared = 0;

function compare(path: string, ours: Field | undefined, theirs: Theirs | undefined, inList = false): void {
  compared += 1;
  if (ours === undefined || theirs === undefined) {
    wrong.push(`${path} is ${ours === undefined ? "not in our table" : "unknown to Talos"}`);
    return;
  }
  const [our, their] = [describe(ours), describeTheirs(theirs)];
  if (our !== their) wrong.push(`${path} is ${our} in our table and ${their} for Talos`);
  // An element of a list is never absent: pointers say nothing there.
  if (!inList && ours.pointer !== (theirs.pointer ?? false)) wrong.push(`${path}: ${ours.pointer ? "no pointer" : "a pointer"}`);
  if (ours.replaced !== (theirs.replace ?? false)) wrong.push(`${path}: ${ours.replaced ? "not replaced" : "replaced"}`);
  if (ours.is === "list") {
    const special = ours.mergedBy.length > 0 || ours.replacedBy !== undefined;
    if (special !== (theirs.merger ?? false))
      wrong.push(`${path}: ${special ? "merges as all lists do" : "has its own way to merge"}`);
    compare(`${path}[]`, ours.of, theirs.of, true);
  } else if (ours.is === "map") compare(`${path}.*`, ours.of, theirs.of, true);
  else if (ours.is === "object")
    for (const key of new Set([...ours.keys.keys(), ...Object.keys(theirs.keys ?? {})]))
      compare(`${path}.${key}`, ours.keys.get(key), theirs.keys?.[key]);
}

function describe(field: Field): string {
  // What an expression may refer to is in our table only.
  return field.is === "plain" ? (field.words?.join("|") ?? field.word.replace(/^\w+ expression$/, "expression")) : field.is;
}

function describeTheirs({ is, go, words }: Theirs): string {
  const word = WORDS[go ?? ""];
  if (word !== undefined) return word;
  if (words !== undefined) return words.join("|");
  return is === "number" ? (go ?? is) : is;
}

function compareMinor(minor: Minor, theirs: Record<string, { named: boolean; shape: Theirs }>): number {
  const kinds = new Set([...kindsOf(minor), ...Object.keys(theirs)]);
  for (const kind of kinds) {
    const [ours, their] = [fieldsOf(kind, minor), theirs[kind]];
    compare(`${minor} ${kind}`, ours, their?.shape);
    if (ours?.keys.has("name") !== their?.named) wrong.push(`${minor} ${kind}: ${their?.named ? "is named" : "has no name"}`);
  }
  return kinds.size;
}

const [, , folder = "."] = process.argv;
const kinds = MINORS.map((minor) => compareMinor(minor, JSON.parse(readFileSync(join(folder, `${minor}.json`), "utf8"))));
if (wrong.length > 0) {
  process.stdout.write(`${wrong.join("\n")}\n`);
  throw new Error(`${wrong.length} of our fields are wrong`);
}
process.stdout.write(`${compared} fields of ${kinds.join(", ")} kinds in Talos ${MINORS.join(", ")}\n`);
