import type { Json } from "@talosmith/lib/json.ts";
import { celProblem } from "../cel/check.ts";
import { ENVIRONMENTS } from "../cel/environments.ts";
import { minorOf } from "../versions.ts";
import { bytesIn } from "./install-disk.ts";
import { type DocumentRule, rule } from "./rules.ts";
import { at, type Fields, filled, list, quoted, someSet, word } from "./values.ts";

/** Maximum length of a partition label, including Talos's prefix. */
const LABEL = 36;

function nameProblems(name: string, longest: number | undefined): string[] {
  return [
    ...(name === "" ? ["name is required"] : []),
    ...(longest !== undefined && (name.length < 1 || name.length > longest)
      ? [`name must be between 1 and ${longest} characters long`]
      : []),
    ...(/[^a-zA-Z0-9-]/.test(name) ? ["name can only contain lowercase and uppercase ASCII letters, digits, and hyphens"] : []),
  ];
}

function provisioningProblems(spec: Json | undefined, required: boolean, sized: boolean, minor: number): string[] {
  const match = word(at(spec, "diskSelector.match"));
  const problem = match === "" ? undefined : celProblem(match, ENVIRONMENTS.disk);
  const [least, most] = [word(at(spec, "minSize")), word(at(spec, "maxSize"))];
  const problems = [
    ...(problem === undefined ? [] : [`disk selector is invalid: ${problem}`]),
    ...(match === "" && required ? ["disk selector is required"] : []),
  ];
  if (!sized) {
    if (least !== "" || most !== "" || at(spec, "grow") !== undefined)
      problems.push("min size, max size and grow are not supported");
    return problems;
  }
  const comparable = !most.includes("%") && !(minor > 12 && most.startsWith("-"));
  if (least !== "" && most !== "" && comparable) {
    if (bytesIn(least) > bytesIn(most)) problems.push("min size is greater than max size");
  } else if (required && least === "" && most === "") problems.push("min size or max size is required");
  if (minor > 12 && least.startsWith("-")) problems.push("min size cannot be negative");
  return problems;
}

function encryptionProblems(spec: Json | undefined): string[] {
  const provider = word(at(spec, "provider")).toLowerCase() || "none";
  const keys = list(at(spec, "keys"));
  if (provider === "none" && keys.length === 0) return [];
  const problems = provider === "luks2" ? [] : [`unsupported encryption provider: ${provider}`];
  if (keys.length === 0) problems.push("encryption keys are required");
  const taken = new Set<number>();
  for (const key of keys) {
    const slot = Number(at(key, "slot") ?? 0);
    if (taken.has(slot)) problems.push(`duplicate key slot ${slot}`);
    taken.add(slot);
    if (["static", "nodeID", "kms", "tpm"].every((kind) => at(key, kind) === undefined))
      problems.push(`at least one encryption key type must be specified for slot ${slot}`);
    for (const register of list(at(key, "tpm.options.pcrs")).map(Number)) {
      if (register < 0 || register > 23) problems.push(`TPM PCR ${register} is out of range (0-23)`);
    }
  }
  return problems;
}

function filesystemProblems(spec: Json | undefined, minor: number): string[] {
  const type = word(at(spec, "type")).toLowerCase();
  const usual = type === "" || type === "none" ? "xfs" : type;
  if (!["xfs", "ext4", ...(minor > 13 ? ["btrfs"] : [])].includes(usual)) return [`unsupported filesystem type: ${type}`];
  if (at(spec, "projectQuotaSupport") === true && usual !== "xfs")
    return ["project quota support is only available for xfs filesystem"];
  if (at(spec, "xfs") !== undefined && usual !== "xfs") return ["xfs options are only available for xfs filesystem"];
  return [];
}

/** From 1.14 on. */
function upkeepProblems(fields: Fields): string[] {
  const scrub = Number(at(fields, "scrub.interval") ?? 0);
  return [
    ...(Number(at(fields, "trim.interval") ?? 0) < 0 ? ["trim interval cannot be negative"] : []),
    ...(scrub !== 0 && scrub < 10_000 ? ["scrub interval: minimum value is 10s"] : []),
  ];
}

function userVolumeProblems(fields: Fields, minor: number): string[] {
  const type = word(fields.volumeType).toLowerCase() || "partition";
  if (type === "directory") {
    const odd = ["provisioning", "encryption", "filesystem"].filter((key) => someSet(fields[key]));
    const mount =
      minor === 13
        ? someSet(fields.mount)
          ? ["mount spec is invalid for volumeType directory"]
          : []
        : at(fields, "mount.disableAccessTime") === undefined
          ? []
          : ["mount.disableAccessTime is invalid for volumeType directory"];
    return [...odd.map((key) => `${key} spec is invalid for volumeType directory`), ...mount];
  }
  if (type !== "partition" && type !== "disk") return [`unsupported volume type ${quoted(type)}`];
  return [
    ...provisioningProblems(fields.provisioning, true, type === "partition", minor),
    ...filesystemProblems(fields.filesystem, minor),
    ...encryptionProblems(fields.encryption),
  ];
}

const MOVABLE = ["ETCD", "CRI", "KUBELET", "LOG"];

function systemVolumeProblems(name: string, fields: Fields, minor: number): string[] {
  const known = ["STATE", "EPHEMERAL", "IMAGECACHE", ...(minor > 13 ? MOVABLE : [])];
  if (!known.includes(name)) return [`only [${known.map(quoted).join(" ")}] volumes are supported`];
  const mounted = someSet(fields.mount) ? [`mount config is not allowed for the ${quoted(name)} volume`] : [];
  const problems: string[] = [];
  if (name === "STATE") {
    if (someSet(fields.provisioning)) problems.push(`provisioning config is not allowed for the ${quoted(name)} volume`);
    for (const key of list(at(fields, "encryption.keys"))) {
      if (at(key, "lockToState") === true) problems.push(`state-locked key is not allowed for the ${quoted(name)} volume`);
    }
    problems.push(...mounted);
  } else if (name === "IMAGECACHE") {
    problems.push(...mounted);
    if (someSet(fields.filesystem)) problems.push(`filesystem config is not allowed for the ${quoted(name)} volume`);
  } else if (MOVABLE.includes(name) && someSet(fields.mount) && !someSet(fields.provisioning)) {
    problems.push(
      `mount config for the ${quoted(name)} volume is only supported when it is provisioned onto a dedicated partition`,
    );
  }
  return [
    ...problems,
    ...provisioningProblems(fields.provisioning, false, true, minor),
    ...encryptionProblems(fields.encryption),
  ];
}

export const VOLUME_RULES: Readonly<Record<string, DocumentRule>> = {
  VolumeConfig: rule(({ name, fields }, { mode }) => {
    const problems = systemVolumeProblems(name, fields, minorOf(mode.version));
    return problems[0]?.startsWith("only [") ? problems : [...problems, ...upkeepProblems(fields)];
  }),
  UserVolumeConfig: rule(({ name, fields }, { mode }) => [
    ...nameProblems(name, LABEL - "u-".length),
    ...userVolumeProblems(fields, minorOf(mode.version)),
    ...upkeepProblems(fields),
  ]),
  RawVolumeConfig: rule(({ name, fields }, { mode }) => [
    ...nameProblems(name, LABEL - "r-".length),
    ...provisioningProblems(fields.provisioning, true, true, minorOf(mode.version)),
    ...encryptionProblems(fields.encryption),
  ]),
  SwapVolumeConfig: rule(({ name, fields }, { mode }) => [
    ...nameProblems(name, LABEL - "s-".length),
    ...provisioningProblems(fields.provisioning, true, true, minorOf(mode.version)),
    ...encryptionProblems(fields.encryption),
  ]),
  ExistingVolumeConfig: rule(({ name, fields }) => {
    const match = word(at(fields, "discovery.volumeSelector.match"));
    const problem = match === "" ? undefined : celProblem(match, ENVIRONMENTS.volume);
    return [
      ...nameProblems(name, undefined),
      ...(match === "" ? ["volume selector is required"] : []),
      ...(problem === undefined ? [] : [`volume selector is invalid: ${problem}`]),
      ...upkeepProblems(fields),
    ];
  }),
  ExternalVolumeConfig: rule(({ name, fields }) => {
    const type = word(fields.filesystemType).toLowerCase() || "none";
    const tag = at(fields, "mount.virtiofs");
    const mount =
      tag === undefined ? ["virtiofs mount spec is required"] : filled(at(tag, "tag")) ? [] : ["virtiofs tag is required"];
    return [...nameProblems(name, LABEL - "x-".length), ...(type === "virtiofs" ? mount : [`invalid filesystem type: ${type}`])];
  }),
  ZswapConfig: rule(({ fields }) => {
    const percent = Number(fields.maxPoolPercent ?? 0);
    return percent < 0 || percent > 100 ? ["maxPoolPercent must be between 0 and 100"] : [];
  }),
  FilesystemTrimConfig: rule(({ fields }) => (Number(fields.interval ?? 0) < 0 ? ["interval cannot be negative"] : [])),
  FilesystemScrubConfig: rule(({ fields }) => {
    const interval = Number(fields.interval ?? 0);
    return interval !== 0 && interval < 10_000 ? ["scrub interval: minimum value is 10s"] : [];
  }),
};
