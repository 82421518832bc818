import { counted, type OpenFile } from "./streams.ts";

const NAMES = { null: "null", zero: "zero", full: "zero", random: "random", urandom: "random" } as const;

/** Paths of devices that every machine has. */
export const CHARACTER_DEVICES: readonly string[] = Object.keys(NAMES).map((name) => `/dev/${name}`);

const ROOM = 65_536;

/** The device with this path, if it is one. */
export function characterDevice(path: string): OpenFile | undefined {
  const name = path.startsWith("/dev/") ? NAMES[path.slice("/dev/".length) as keyof typeof NAMES] : undefined;
  if (name === undefined) return undefined;
  const bytes = Buffer.alloc(name === "null" ? 0 : ROOM);
  // Bytes that compress badly; nothing in the lab needs them to be secret.
  if (name === "random") for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 167 + (at >> 8) * 31) & 255;
  return counted({ read: async () => bytes, unread: () => {}, write: async () => {} }, () => {});
}
