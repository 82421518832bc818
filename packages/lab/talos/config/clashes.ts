import { at, type ConfigDocument, quoted, word } from "./values.ts";

const LINKS = [
  "BondConfig",
  "BridgeConfig",
  "DummyLinkConfig",
  "LinkConfig",
  "VethConfig",
  "VLANConfig",
  "VRFConfig",
  "WireguardConfig",
];

/** Kinds that share a name space: only one of them may use a name. */
const RIVALS: readonly (readonly string[])[] = [
  LINKS,
  ["Layer2VIPConfig", "HCloudVIPConfig"],
  ["UserVolumeConfig", "ExistingVolumeConfig"],
];

/** The conflict between documents that are valid separately. */
export function clashOf(documents: readonly ConfigDocument[], minor: number): string | undefined {
  const claimed = new Map<string, string>();
  for (const [index, { kind, name, fields }] of documents.entries()) {
    const rivals = RIVALS.find((kinds) => kinds.includes(kind)) ?? [];
    const earlier = documents
      .slice(0, index)
      .find((other) => other.kind !== kind && other.name === name && rivals.includes(other.kind));
    if (earlier) return `conflicting documents: ${earlier.kind}/${name} and ${kind}/${name}`;
    if (minor < 14 || !LINKS.includes(kind)) continue;
    for (const link of [name, ...(kind === "VethConfig" ? [word(at(fields, "peer.name"))] : [])]) {
      const owner = claimed.get(link);
      if (owner !== undefined)
        return `conflicting link configurations: ${owner} and ${kind}/${name} both configure ${quoted(link)}`;
      claimed.set(link, `${kind}/${name}`);
    }
  }
  return undefined;
}
