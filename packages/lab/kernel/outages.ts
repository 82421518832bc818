import { userError } from "@talosmith/lib/errors.ts";
import * as z from "zod";
import { listenAddress } from "./address-map.ts";
import { fits } from "./faults.ts";
import type { AddressBlock, Outage } from "./kernel.ts";

const outage = z.strictObject({
  service: z.string().min(1).exactOptional(),
  host: z
    .union([z.int().min(1).max(254), z.union([z.ipv4(), z.ipv6()])], "must be a number from 1 to 254 or an address")
    .exactOptional(),
  how: z.enum(["refused", "silent"]),
});

export const outageList = z.array(outage);

/** Validates outages from outside the process. */
export function checkOutages(outages: unknown, services: readonly string[]): Outage[] {
  const checked = outageList.safeParse(outages);
  if (!checked.success) {
    throw refused(checked.error.issues.map((issue) => `${issue.path.join(".") || "outages"}: ${issue.message}`).join("\n"));
  }
  const stranger = checked.data.find(({ service }) => service !== undefined && !services.some((name) => fits(service, name)));
  if (stranger) throw refused(`there is no service ${stranger.service} in this lab; it has ${services.join(", ")}`);
  return checked.data;
}

function refused(detail: string) {
  return userError("LAB_OUTAGES", {
    message: "Unable to set the lab's outages",
    detail,
    hint: 'pass a list such as [{"service": "proxmox", "host": 1, "how": "refused"}]',
  });
}

/** The outage at this address: the first one that matches. */
export function outageAt(
  lab: { address: AddressBlock },
  outages: readonly Outage[],
  service: string,
  host: string,
): Outage["how"] | undefined {
  const meant = (outage: Outage) =>
    fits(outage.service, service) && (outage.host === undefined || addressOf(lab, outage.host) === host);
  return outages.find(meant)?.how;
}

function addressOf(lab: { address: AddressBlock }, host: number | string): string {
  return typeof host === "number" ? lab.address.host(host) : listenAddress(lab, host);
}
