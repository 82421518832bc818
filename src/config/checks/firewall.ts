import { parseNetwork } from "@talosmith/lib/ip.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { type Check, isAtProvider } from "./facts.ts";

/** Checks that rule names are unique and that the APIs are not open to the Internet by mistake. */
export const firewall: Check = (facts, report) => {
  const { draft } = facts;
  const { enabled, admin, open } = draft.firewall ?? {};
  if (enabled === false && isAtProvider(facts))
    report.warn(["firewall", "enabled"], {
      message: "firewall.enabled is false: anyone on the Internet can reach the Talos and Kubernetes APIs, etcd and kubelets",
      hint: "remove it, and name the networks you work from in firewall.admin",
    });
  if (enabled === false) return;
  for (const [index, network] of (admin ?? []).entries())
    if (network !== undefined && parseNetwork(network)?.prefix === 0)
      report.warn(["firewall", "admin", index], {
        message: `firewall.admin[${index}] lets anyone reach the Talos and Kubernetes APIs`,
        hint: "name the networks you work from",
      });
  const names = (open ?? []).map((rule) => rule?.name);
  for (const [index, name] of names.entries()) {
    const path = ["firewall", "open", index, "name"];
    if (name === undefined || names.indexOf(name) === index) continue;
    report.problem(path, {
      message: `${pathName(path)} is the name of another rule`,
      hint: "give one of the two another name",
      remark: "used twice",
    });
  }
};
