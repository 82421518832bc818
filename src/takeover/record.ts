import { userError } from "@talosmith/lib/errors.ts";
import * as z from "zod";
import type { Survey, SurveyedCard, SurveyedDisk } from "./survey.ts";

const text = z.string();
const count = z.int().nonnegative();
/** Epoch milliseconds; written as people read it. */
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
  /** For a person: what was on it. */
  held: text,
});

const image = z.strictObject({
  /** Of its plain bytes, in hex. */
  sha256: z.exactOptional(text),
  bytes: z.exactOptional(count),
  /** For a person: its address at the factory. */
  from: z.exactOptional(text),
  /** How it got there. */
  way: z.exactOptional(text),
});

const record = z.strictObject({
  format: z.literal("talosmith takeover 1"),
  node: text,
  begunAt: time,
  /** There once the server was told to start from the disk. */
  restartedAt: z.exactOptional(time),
  /** "begun": what is on the disk is of no use. "restarted": it starts Talos, or has. */
  phase: z.enum(["begun", "restarted"]),
  /** What the rescue system showed: "SHA256:…". */
  hostKey: text,
  server,
  disk,
  /** Stretches of the disk as they were: its partition tables. */
  saved: z.array(z.strictObject({ offset: count, bytes })),
  /** There once it is known. */
  image: z.exactOptional(image),
});

/** What is kept of a server before it is overwritten: enough to know it again, and to bring its partition table back. */
export type TakeoverRecord = z.output<typeof record>;
export type RecordedImage = z.output<typeof image>;

export interface Begun {
  node: string;
  address: string;
  survey: Survey;
  disk: SurveyedDisk;
  /** What was on the disk, as describe.ts says it. */
  held: string;
  hostKey: string;
  saved: readonly { offset: number; bytes: Uint8Array }[];
  image?: RecordedImage;
  /** Epoch milliseconds. */
  at: number;
}

/** For before the first byte is written. */
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

/** For right before the server is told to start from the disk. */
export function restartedRecord(record: TakeoverRecord, image: RecordedImage, at: number): TakeoverRecord {
  return { ...record, phase: "restarted", restartedAt: at, image: { ...record.image, ...imageOf(image) } };
}

/** Whoever gives it may know more of it, which would be strange to whoever reads it. */
function imageOf({ sha256, bytes, from, way }: RecordedImage): RecordedImage {
  return defined({ sha256, bytes, from, way });
}

/** As it is kept in a file. It holds no secret, but somebody's disk. */
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

/** Strict: a record that somebody changed must not tell us which machine gets the cluster's secrets. `file`: for the message. */
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

/** By what the server is recognised when it waits for its config. */
export function factsOf({ server, disk }: TakeoverRecord): {
  uuid?: string;
  macs: readonly string[];
  serial?: string;
  wwid?: string;
} {
  const isMain = ({ name }: SurveyedCard) => name === server.main;
  const cards = [...server.cards.filter(isMain), ...server.cards.filter((card) => !isMain(card))];
  // Only what Talos itself reads from the same place can be compared with its word later.
  return { ...defined({ uuid: server.uuid, serial: disk.talosSerial, wwid: disk.wwid }), macs: cards.map(({ mac }) => mac) };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
