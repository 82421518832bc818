import { celProblem } from "../cel/check.ts";
import { CEL_PLACES } from "../cel/places.ts";
import type { ConfigDocument } from "../document.ts";
import { type Facts, type Found, found, ofKind, textAt } from "./facts.ts";

const DISK = "provisioning.diskSelector.match";
const MEMBERS = "provisioning.volumeSelector.match";

/** The fields with expressions: kind, path and place. */
const EXPRESSIONS: readonly (readonly [kind: string, path: string, place: keyof typeof CEL_PLACES])[] = [
  ["VolumeConfig", DISK, "disk"],
  ["UserVolumeConfig", DISK, "disk"],
  ["RawVolumeConfig", DISK, "disk"],
  ["SwapVolumeConfig", DISK, "disk"],
  ["UnattendedInstallConfig", DISK, "disk"],
  ["ExistingVolumeConfig", "discovery.volumeSelector.match", "volume"],
  ["LVMVolumeGroupConfig", MEMBERS, "member"],
  ["RAIDArrayConfig", MEMBERS, "member"],
  ["LinkAliasConfig", "selector.match", "link"],
  ["OOMConfig", "triggerExpression", "trigger"],
  ["OOMConfig", "cgroupRankingExpression", "ranking"],
];

/** Expressions that Talos cannot parse, or with the wrong type. */
export function* expressions(facts: Facts): Generator<Found> {
  for (const [kind, path, place] of EXPRESSIONS)
    for (const document of ofKind(facts, kind)) {
      const text = textAt(document, path);
      const problem = text === "" || isIgnored(document) ? undefined : celProblem(text, CEL_PLACES[place]);
      if (problem !== undefined)
        yield found(
          document,
          path,
          `${path} is not a valid expression: ${problem}`,
          `write it like ${CEL_PLACES[place].example}`,
        );
    }
}

/** A volume that is no partition and no disk has no disk to choose, and is refused for other reasons. */
function isIgnored(document: ConfigDocument): boolean {
  return !["", "partition", "disk"].includes(textAt(document, "volumeType"));
}
