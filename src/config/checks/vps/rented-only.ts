import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { type Check, placesOfSetting } from "../facts.ts";

const ONLY_RENTED: Readonly<Record<string, string>> = {
  ssh: "remove it: these machines are not logged in to",
  dhcp: "remove it",
  eraseMembers: "remove it",
  prefix: "remove it: nodes have the prefix length of network.cidr",
  server: "remove it",
};

/** What is said of rented servers is said on no other platform. */
export const rentedOnly: Check = (facts, report) => {
  const { platform } = facts.draft;
  if (platform === undefined) return;
  if (report.has(["vps"]))
    report.problem(["vps"], {
      message: `vps is set, and platform is ${platform}`,
      hint: "remove the section, or set platform: vps",
      on: "key",
    });
  for (const [key, hint] of Object.entries(ONLY_RENTED))
    for (const path of placesOfSetting(facts, key))
      if (report.has(path)) report.problem(path, { message: `${pathName(path)} is for platform vps only`, hint, on: "key" });
};
