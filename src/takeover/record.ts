import { userError } from "@talosmith/lib/errors.ts";
import * as z from "zod";
import type { Survey, SurveyedCard, SurveyedDisk } from "./survey.ts";

const text = z.string();
const count = z.int().nonnegative();
/** Epoch milliseconds, stored as an ISO date. */
const time = z.iso.datetime().transform((written) => Date.parse(written));
const bytes = z.base64().transform((written) => Buffer.from(written, "base64"));

const card = z.strictObject({ name: text, mac: text, addresses: z.array(text), dhcp: z.boolean() });

const server = z.strictObject({
  address: text,
  hostname: text,
  arch: text,
  firmware: z.enum(["bios", "uefi"]),
  secureBoot: z.boolean(),
  memoryBytes: z.exactOptional(count),
  uuid: z.exactOptional(text),
  cards: z.array(card),
  /** The card that had the default route. */
  main: z.exactOptional(text),
  gateway: z.exactOptional(text),
  nameservers: z.array(text),
});

const disk = z.strictObject({
  path: text,
  bytes: count,
  model: z.exactOptional(text),
  serial: z.exactOptional(text),
  otherSerial: z.exactOptional(text),
  talosSerial: z.exactOptional(text),
  wwid: z.exactOptional(text),
  /** A description of its content, for readers. */
  held: text,
});

const image = z.strictObject({
  /** The hash of its unpacked bytes, in hex. */
  sha256: z.exactOptional(text),
  bytes: z.exactOptional(count),
  /** Its URL at the factory, for readers. */
  from: z.exactOptional(text),
  /** The way it was transferred. */
  way: z.exactOptional(text),
});

const record = z.strictObject({
  format: z.literal("talosmith takeover 1"),
  node: text,
  begunAt: time,
  /** Set once the server was restarted from the disk. */
  restartedAt: z.exactOptional(time),
  /** "begun": the content of the disk is unusable. "restarted": the server starts or runs Talos. */
  phase: z.enum(["begun", "restarted"]),
  /** The host key of the rescue system: "SHA256:…". */
  hostKey: text,
  server,
  disk,
  /** The original partition tables of the disk. */
  saved: z.array(z.strictObject({ offset: count, bytes })),
  /** Set once it is known. */
  image: z.exactOptional(image),
});

/** The record of a server before it is overwritten: enough to recognise it, and to restore its partition table. */
export type TakeoverRecord = z.output<typeof record>;
export type RecordedImage = z.output<typeof image>;

export interface Begun {
  node: string;
  address: string;
  survey: Survey;
  disk: SurveyedDisk;
  /** The content of the disk, as described by describe.ts. */
  held: string;
  hostKey: string;
  saved: readonly { offset: number; bytes: Uint8Array }[];
  image?: RecordedImage;
  /** Epoch milliseconds. */
  at: number;
}

/** Creates the record, before the first byte is written. */
export function takeoverRecord({ node, address, survey, disk, held, hostKey, saved, image, at }: Begun): TakeoverRecord {
  const { hostname, arch, firmware, secureBoot, memoryBytes, uuid, network } = survey;
  const { path, bytes, model, serial, otherSerial, talosSerial, wwid } = disk;
  return {
    format: "talosmith takeover 1",
    node,
    begunAt: at,
    phase: "begun",
    hostKey,
    server: {
      ...{ address, hostname, arch, firmware, secureBoot },
      ...defined({ memoryBytes, uuid, main: network.main, gateway: network.gateway }),
      cards: network.cards.map(({ name, mac, addresses, dhcp }) => ({ name, mac, addresses: [...addresses], dhcp })),
      nameservers: [...network.nameservers],
    },
    disk: { path, bytes, ...defined({ model, serial, otherSerial, talosSerial, wwid }), held },
    saved: saved.map((part) => ({ offset: part.offset, bytes: Buffer.from(part.bytes) })),
    ...(image !== undefined && { image: imageOf(image) }),
  };
}

/** Adds the restart to the record, right before the server is restarted. */
export function restartedRecord(record: TakeoverRecord, image: RecordedImage, at: number): TakeoverRecord {
  return { ...record, phase: "restarted", restartedAt: at, image: { ...record.image, ...imageOf(image) } };
}

/** Keeps only the fields of the schema, which is strict. */
function imageOf({ sha256, bytes, from, way }: RecordedImage): RecordedImage {
  return defined({ sha256, bytes, from, way });
}

/** The text of the file. It holds no secret, but parts of the old disk. */
export function recordText({ begunAt, restartedAt, saved, ...rest }: TakeoverRecord): string {
  const iso = (ms: number) => new Date(ms).toISOString();
  const written = {
    ...rest,
    begunAt: iso(begunAt),
    ...(restartedAt !== undefined && { restartedAt: iso(restartedAt) }),
    saved: saved.map((part) => ({ offset: part.offset, bytes: part.bytes.toString("base64") })),
  };
  return `${JSON.stringify(written, undefined, 2)}\n`;
}

/** Parses a record strictly: a modified record must not decide which machine receives the cluster's secrets. `file`: for the message. */
export function readRecord(written: string, file = "a takeover's record"): TakeoverRecord {
  const read = record.safeParse(parsed(written));
  if (read.success && (read.data.phase === "restarted") === (read.data.restartedAt !== undefined)) return read.data;
  const place = read.error?.issues[0]?.path.join(".") || (read.success ? "restartedAt" : "it");
  throw userError("TAKEOVER_RECORD", {
    message: `Unable to read ${file}: ${place} is damaged`,
    detail: "It records what a server had before it was overwritten. Nothing was written.",
    hint: "restore it from a backup, or move it away: then mac or the serial in installDisk must identify the server",
  });
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

/** The facts that identify the server when it waits for its config. */
export function factsOf({ server, disk }: TakeoverRecord): {
  uuid?: string;
  macs: readonly string[];
  serial?: string;
  wwid?: string;
} {
  const isMain = ({ name }: SurveyedCard) => name === server.main;
  const cards = [...server.cards.filter(isMain), ...server.cards.filter((card) => !isMain(card))];
  // Only facts that Talos reads from the same source can be compared later.
  return { ...defined({ uuid: server.uuid, serial: disk.talosSerial, wwid: disk.wwid }), macs: cards.map(({ mac }) => mac) };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
