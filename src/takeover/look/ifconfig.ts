import { parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import type { Address } from "./ip-answers.ts";

/**
 * Parses `ifconfig`, for systems without `ip`. Older ones and busybox's: "inet addr:10.0.2.15  Bcast:…  Mask:255.255.255.0", "inet6 addr:
 * 2001:db8::1/64 Scope:Global"; newer ones: "inet 10.0.2.15  netmask 255.255.255.0", "inet6 2001:db8::1  prefixlen 64  scopeid 0x0<global>". None
 * shows leases.
 */
export function addressesOfIfconfig(lines: readonly string[]): readonly Address[] {
  const found: Address[] = [];
  let card = "";
  for (const line of lines) {
    card = /^(\S+?):?\s/.exec(line)?.[1] ?? card;
    const text = four(line) ?? six(line);
    if (text !== undefined && parseNetwork(text) !== undefined && card !== "lo") found.push({ card, text, dynamic: false });
  }
  return found;
}

function four(line: string): string | undefined {
  const [, address, mask = ""] = /^\s+inet (?:addr:)?([\d.]+)\s.*?(?:[Mm]ask[: ])([\d.]+)/.exec(line) ?? [];
  const bits = parseIp(mask)?.value.toString(2).padStart(32, "0");
  return address === undefined || bits === undefined || !/^1*0*$/.test(bits)
    ? undefined
    : `${address}/${bits.replaceAll("0", "").length}`;
}

function six(line: string): string | undefined {
  if (!/global/i.test(line)) return undefined;
  const [, address, old, recent] = /^\s+inet6 (?:addr: ?)?([\da-f:]+)(?:\/(\d+)|\s+prefixlen (\d+))/i.exec(line) ?? [];
  return address === undefined ? undefined : `${address}/${old ?? recent}`;
}
