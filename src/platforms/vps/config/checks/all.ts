import { find } from "@talosmith/lib/yaml/tree.ts";
import type { Facts } from "../../../../config/checks/facts.ts";
import { writtenOut } from "../../../../config/checks/written-secrets.ts";
import type { Report } from "../../../../config/report.ts";
import { onVps } from "../draft.ts";
import { addressesOfServers } from "./addresses.ts";
import { endpointOfServers } from "./endpoint.ts";
import { familiesOfServers } from "./families.ts";
import { servers } from "./servers.ts";

const CHECKS = [familiesOfServers, addressesOfServers, endpointOfServers, servers];
const TOKEN = ["vps", "provider", "token"];

export function check(facts: Facts, report: Report): void {
  const own = onVps(facts);
  for (const one of CHECKS) one(own, report);
  const token = find(report.tree, TOKEN);
  if (token?.kind === "scalar") writtenOut(token, TOKEN, report);
}
