import { userError } from "@talosmith/lib/errors.ts";
import { type Field, known, type Read, type Ref, type Step, step } from "../../../engine/step.ts";
import { list, object, requiredText } from "../client/loose.ts";
import { candidates, chooseHint, functionsAt, type MappingWish } from "./choose-device.ts";
import type { Iommu } from "./iommu.ts";
import { command } from "./quote.ts";
import type { Root } from "./root.ts";
import { pciDevices, pvesh, type Survey } from "./survey.ts";

interface Seen {
  /** Its entries; undefined = there is no such mapping. */
  map: string[] | undefined;
  /** The wanted entries; existing ones keep their order. */
  wanted: string[];
  /** Hosts whose devices have no group yet. */
  waiting: string[];
}

/**
 * A resource mapping for a device of each host, which a token may use, while only root may use the device itself. Hosts that are `asleep` have no
 * IOMMU groups yet and get none in this run; `iommus` are the steps of those that may get them.
 */
export function mapping(
  root: Root,
  wish: MappingWish,
  survey: Survey,
  iommus: ReadonlyMap<string, Ref<Iommu>>,
  asleep: ReadonlySet<string>,
): Step<Seen, void> {
  const { kind, name } = wish;
  const id = `host/mapping/${kind}/${name}`;
  const subject = `${kind === "pci" ? "PCI" : "USB"} mapping ${name}`;
  const hosts = [...wish.devices.keys()].filter((host) => !asleep.has(host));
  const needs = kind === "pci" ? hosts.flatMap((host) => iommus.get(host) ?? []) : [];
  const line = ({ map, wanted }: Seen) => {
    const entries = wanted.flatMap((entry) => ["--map", entry]);
    if (map) return command("pvesh", "set", `/cluster/mapping/${kind}/${name}`, ...entries);
    return command("pvesh", "create", `/cluster/mapping/${kind}`, "--id", name, ...entries);
  };
  const look = async (c: Read): Promise<Seen> => {
    const map = await entriesOf(root, wish);
    const wanted = [...(map ?? [])];
    const entryOf = (host: string) => wanted.findIndex((entry) => valueIn(entry, "node") === host);
    const unclear = [...wish.devices.keys()].find((host) => wish.devices.get(host) === undefined && entryOf(host) < 0);
    if (unclear !== undefined) throw chooseOne(wish, unclear, survey);
    const waiting = kind === "pci" ? hosts.filter((host) => iommuOf(c, iommus.get(host))?.on === false) : [];
    for (const host of hosts) {
      const device = wish.devices.get(host);
      if (device === undefined || waiting.includes(host)) continue;
      const entry = kind === "pci" ? await pciEntry(root, host, device) : `node=${host},id=${device}`;
      const at = entryOf(host);
      if (at < 0) wanted.push(entry);
      // An existing entry with another device of the host is kept, unless this command names one.
      else if (!wish.named.has(host) && pathOf(wanted[at] ?? "") !== pathOf(entry)) continue;
      else if (!sameEntry(wanted[at] ?? "", entry)) wanted[at] = entry;
    }
    return { map, wanted, waiting };
  };
  return step<Seen, void>({
    id,
    stage: "preflight",
    title: subject,
    needs,
    observe: async (c) => ({ is: "present", actual: await look(c), owner: "shared" }),
    plan: (seen) => {
      if ("later" in seen)
        return [{ id, step: id, verb: "create", subject, fields: [{ path: "devices", from: seen, to: seen }] }];
      if (seen.is !== "present" || same(seen.actual)) return [];
      const { map, wanted } = seen.actual;
      const fields: Field[] = [
        ...(map ? [{ path: "devices", from: map.join("; "), to: wanted.join("; ") }] : []),
        { path: "runs", from: null, to: line(seen.actual) },
      ];
      return [{ id, step: id, verb: map ? "update" : "create", subject, fields }];
    },
    notes: (seen) =>
      seen.is === "present" && seen.actual.waiting.length > 0
        ? [
            {
              level: "warn",
              code: "MAPPING_WAITS",
              message: `${subject} cannot be made before ${seen.actual.waiting.join(", ")} has booted with its IOMMU on`,
              hint: "reboot it, by hand or with --reboot, and run host prepare again",
            },
          ]
        : [],
    apply: async (_, c) => {
      const change = line(await look(c));
      await c.mutate({ key: subject, what: change }, async () => {
        await root.entry.run(`map ${name}`, change);
        return undefined;
      });
    },
    output: () => {},
  });
}

const same = ({ map, wanted }: Seen) =>
  map === undefined ? wanted.length === 0 : JSON.stringify(map) === JSON.stringify(wanted);

function iommuOf(c: Read, ref: Ref<Iommu> | undefined): Iommu | undefined {
  return ref && known(c, ref);
}

async function entriesOf(root: Root, { kind, name }: MappingWish): Promise<string[] | undefined> {
  const all = list(await root.entry.json("list the mappings", pvesh(`/cluster/mapping/${kind}`)), "the mappings");
  const found = all.find((item) => item.id === name);
  if (!found) return undefined;
  const { map } = object(found, "a mapping");
  return Array.isArray(map) ? map.map((entry) => requiredText(entry, "an entry of a mapping")) : [];
}

/** The properties that Proxmox compares when the machine starts, of the first function for a whole card. */
async function pciEntry(root: Root, host: string, address: string): Promise<string> {
  const [first] = functionsAt(address, await pciDevices(root, host));
  if (!first)
    throw userError("NO_SUCH_DEVICE", {
      message: `${host} has no PCI device ${address} any more`,
      hint: "run the same command again",
    });
  const parts = [
    `node=${host}`,
    `path=${address}`,
    `id=${first.vendor}:${first.device}`,
    ...(first.subsystem === undefined ? [] : [`subsystem-id=${first.subsystem}`]),
    ...(first.group < 0 ? [] : [`iommugroup=${first.group}`]),
  ];
  return parts.join(",");
}

function valueIn(entry: string, key: string): string | undefined {
  return new RegExp(`(?:^|,)${key}=([^,]*)`).exec(entry)?.[1];
}

/** The card's address: with the first function, or without one, it is the same card. */
function pathOf(entry: string): string {
  return (valueIn(entry, "path") ?? valueIn(entry, "id") ?? "").replace(/\.0$/, "");
}

function sameEntry(one: string, other: string): boolean {
  const parts = (entry: string) =>
    entry
      .split(",")
      .map((part) => part.replace(/^(path=.*)\.0$/, "$1"))
      .sort()
      .join(",");
  return parts(one) === parts(other);
}

function chooseOne({ kind, name, nodes }: MappingWish, host: string, survey: Survey) {
  return userError("WHICH_DEVICE", {
    message: `Unable to choose the ${kind === "pci" ? "PCI" : "USB"} device of ${host} for the mapping ${name} of ${nodes.join(", ")}`,
    detail: candidates(kind, host, survey),
    hint: chooseHint(kind, name, host, survey, nodes),
  });
}
