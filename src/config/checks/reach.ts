import { find } from "@talosmith/lib/yaml/tree.ts";
import type { Check } from "./facts.ts";

/** Checks that `network.ssh` is complete and used. */
export const reach: Check = (facts, report) => {
  const { via, ssh } = facts.draft.network ?? {};
  if (
    via === "ssh" &&
    facts.platform !== undefined &&
    facts.platform.sshHost === undefined &&
    find(report.tree, ["network", "ssh", "host"]) === undefined
  )
    report.problem(
      ["network", ssh === undefined ? "via" : "ssh"],
      {
        message: "network.ssh.host is missing",
        hint: "add under network:\nssh: { host: 192.168.122.70 }",
        remark: "host is missing",
        on: "key",
      },
      "CONFIG_MISSING_KEY",
    );
  if (ssh !== undefined && via !== "ssh")
    report.warn(["network", "ssh"], {
      message: "network.ssh is not used: network.via is direct",
      hint: "set network.via: ssh, or remove network.ssh",
      on: "key",
    });
};
