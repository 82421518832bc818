import type { ConfigDocument } from "../document.ts";
import { type Facts, type Found, found, ofKind } from "./facts.ts";

/** Kinds whose documents share their names. */
const SHARED: readonly (readonly string[])[] = [
  ["LinkConfig", "BondConfig", "BridgeConfig", "VLANConfig", "DummyLinkConfig", "WireguardConfig", "VRFConfig", "VethConfig"],
  ["UserVolumeConfig", "ExistingVolumeConfig"],
  ["Layer2VIPConfig", "HCloudVIPConfig"],
];

/** Two documents of different kinds that say they are the same link, volume or address. */
export function* sharedNames(facts: Facts): Generator<Found> {
  for (const kinds of SHARED) {
    const seen = new Map<string, ConfigDocument>();
    for (const document of ofKind(facts, ...kinds)) {
      const name = String(document.name);
      const other = seen.get(name);
      if (other !== undefined && other.kind !== document.kind)
        yield found(document, "name", `has the name of ${other.kind} ${name}`, "give one of the two another name");
      seen.set(name, document);
    }
  }
}
