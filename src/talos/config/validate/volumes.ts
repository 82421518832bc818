import type { ConfigDocument } from "../document.ts";
import { at, type Facts, type Found, found, isSet, isSince, mapAt, objectsAt, ofKind, textAt } from "./facts.ts";

const SYSTEM = ["STATE", "EPHEMERAL", "IMAGECACHE"];
const SYSTEM_SINCE_114 = ["ETCD", "CRI", "KUBELET", "LOG"];
const OWN = ["UserVolumeConfig", "RawVolumeConfig", "SwapVolumeConfig"];
const UNITS = "kmgtpe";

export function* volumes(facts: Facts): Generator<Found> {
  const names = isSince(facts, "1.14") ? [...SYSTEM, ...SYSTEM_SINCE_114] : SYSTEM;
  for (const volume of ofKind(facts, "VolumeConfig")) {
    if (!names.includes(String(volume.name)))
      yield found(volume, "name", "is not a system volume of Talos", `write ${names.join(", ")}, or a UserVolumeConfig`);
    else if (volume.name === "STATE" && Object.values(mapAt(volume, "provisioning")).some(isProvided))
      yield found(volume, "provisioning", "cannot have provisioning", "remove it; the size of STATE is Talos's choice");
    yield* sizes(volume);
    yield* encryption(volume);
  }
  for (const volume of ofKind(facts, ...OWN)) {
    if (!/^[A-Za-z0-9-]{1,34}$/.test(textAt(volume, "name")) && isSet(volume.name))
      yield found(volume, "name", "needs a name of up to 34 letters, digits and hyphens", "give it another name");
    yield* provisioning(volume);
    yield* sizes(volume);
    yield* encryption(volume);
  }
  for (const { document, share } of ofKind(facts, "ZswapConfig").map((one) => ({ document: one, share: one.maxPoolPercent })))
    if (typeof share === "number" && (share < 0 || share > 100))
      yield found(document, "maxPoolPercent", "maxPoolPercent must be from 0 to 100", "write 20, which is Talos's own choice");
}

function isProvided(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.values(value).some(isProvided) : value !== "" && value !== null;
}

/** A partition of its own needs a disk and a size. */
function* provisioning(volume: ConfigDocument): Generator<Found> {
  if (!["", "partition"].includes(textAt(volume, "volumeType"))) return;
  if (textAt(volume, "provisioning.diskSelector.match") === "")
    yield found(
      volume,
      "provisioning.diskSelector.match",
      "needs provisioning.diskSelector.match",
      "choose a disk, such as match: system_disk",
    );
  if (textAt(volume, "provisioning.minSize") === "" && textAt(volume, "provisioning.maxSize") === "")
    yield found(volume, "provisioning", "needs provisioning.minSize or provisioning.maxSize", "write minSize: 10GiB");
}

function* sizes(volume: ConfigDocument): Generator<Found> {
  const [least, most] = ["minSize", "maxSize"].map((key) => bytes(textAt(volume, `provisioning.${key}`)));
  if (least !== undefined && most !== undefined && least > most)
    yield found(
      volume,
      "provisioning.minSize",
      "provisioning.minSize is above maxSize",
      "make minSize smaller or maxSize larger",
    );
}

function* encryption(volume: ConfigDocument): Generator<Found> {
  const asked = mapAt(volume, "encryption");
  if (!Object.values(asked).some(isSet)) return;
  if (asked.provider !== "luks2")
    yield found(volume, "encryption.provider", "encryption.provider must be luks2", "write provider: luks2");
  const keys = objectsAt(asked, "keys");
  if (keys.length === 0) yield found(volume, "encryption.keys", "needs encryption.keys", "write keys: [{ slot: 0, nodeID: {} }]");
  const slots = new Set<number>();
  for (const [index, key] of keys.entries()) {
    const slot = Number(key.slot ?? 0);
    const path = `encryption.keys.${index}`;
    if (slots.has(slot)) {
      const hint = "give each key a slot of its own; lists of patches are appended";
      yield found(volume, path, `has two keys in slot ${slot}`, hint);
    }
    slots.add(slot);
    if (!["static", "nodeID", "kms", "tpm"].some((kind) => at(key, kind) !== undefined && at(key, kind) !== null))
      yield found(volume, path, "has a key without nodeID, tpm, static or kms", "set one of them");
  }
}

/** Undefined for a share, for a size relative to the end, and for an absent value. */
function bytes(text: string): number | undefined {
  const [, digits, unit = "", binary] = /^([\d.,]+)\s*([kmgtpe])?(i)?b?$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const power = unit === "" ? 0 : UNITS.indexOf(unit.toLowerCase()) + 1;
  return Number(digits.replaceAll(",", "")) * (binary === undefined ? 1000 : 1024) ** power;
}
