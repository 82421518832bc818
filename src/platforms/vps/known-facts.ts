import { isMadeUpSerial } from "../../takeover/judge/made-up-serial.ts";
import { factsOf, type TakeoverRecord } from "../../takeover/record.ts";
import type { MachineFacts } from "../platform.ts";
import type { VpsNodeConfig } from "./config/config-on-vps.ts";

/**
 * The facts that identify a machine in maintenance mode as the node's: recorded when it was taken over, or unique properties in the config. Undefined
 * when there are none.
 */
export function knownFacts(node: VpsNodeConfig, record: TakeoverRecord | undefined): MachineFacts | undefined {
  const mac = node.mac ?? node.bond?.macs[0];
  const serial = namedSerial(node);
  const found = record && factsOf(record);
  // The config takes precedence: the server may have been exchanged since.
  const isOfIt =
    record !== undefined &&
    (mac === undefined || found?.macs.includes(mac)) &&
    (serial === undefined || [record.disk.serial, record.disk.talosSerial, record.disk.otherSerial].includes(serial));
  const facts = isOfIt
    ? { uuid: found?.uuid, mac: mac ?? found?.macs[0], diskSerial: found?.serial }
    : { mac, diskSerial: serial };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : { address: node.ip, ...Object.fromEntries(known) };
}

function namedSerial({ installDisk }: VpsNodeConfig): string | undefined {
  const serial = typeof installDisk === "object" ? installDisk.serial : undefined;
  // A serial that other machines have too proves nothing.
  return serial === undefined || serial.includes("*") || isMadeUpSerial(serial) ? undefined : serial;
}
