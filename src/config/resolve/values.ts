import { internalError } from "@talosmith/lib/errors.ts";
import { after, formatIp, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import { parseSize } from "@talosmith/lib/units.ts";

/** What a file without problems has. */
export function sure<T>(value: T | undefined): T {
  if (value === undefined) throw internalError("CONFIG_INCOMPLETE", { message: "a config without problems lacks a value" });
  return value;
}

export function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** Without slashes at the end. */
export function bare(address: string): string {
  return address.replace(/\/+$/, "");
}

export function mib(size: string): number {
  const parsed = parseSize(size);
  return sure(parsed.ok ? parsed.mib : undefined);
}

export function bytes(size: string | undefined): number | undefined {
  return size === undefined ? undefined : mib(size) * 1024 * 1024;
}

/** An address in its shortest spelling, so that equal ones are equal; anything else as it is. */
export function canonical(text: string): string {
  const ip = parseIp(text);
  return ip === undefined ? text : formatIp(ip);
}

/** A network in its shortest spelling. */
export function networkText(text: string): string {
  return sure(parseNetwork(text)).text;
}

/** An address with its prefix length, or one that many places after it, in the shortest spelling. */
export function addressText(text: string, places: number): string {
  const { address, prefix } = sure(parseNetwork(text));
  return `${formatIp(after(address, places))}/${prefix}`;
}
