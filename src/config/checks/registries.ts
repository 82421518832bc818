import { pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Check } from "./facts.ts";

/** Checks that credentials are complete and that options of mirrors have mirrors. */
export const registries: Check = ({ draft }, report) => {
  for (const [host, registry] of Object.entries(draft.registries ?? {})) {
    if (registry === undefined) continue;
    const at = (key: string) => ["registries", host, key];
    for (const [one, other] of [
      ["username", "password"],
      ["password", "username"],
    ] as const)
      if (report.has(at(one)) && !report.has(at(other)))
        report.problem(at(one), {
          message: `${pathName(at(one))} is set, but ${other} is missing`,
          hint: `add ${other}, or remove ${one}`,
          on: "key",
        });
    for (const key of ["overridePath", "skipFallback"] as const)
      if (registry[key] === true && !report.has(at("mirrors")))
        report.problem(at(key), {
          message: `${pathName(at(key))} has no effect without mirrors`,
          hint: "add mirrors, or remove it",
          on: "key",
        });
    if (registry.insecure === true && report.has(at("ca")))
      report.problem(at("insecure"), {
        message: `${pathName(at("insecure"))} and ca contradict each other`,
        hint: "remove insecure: with ca the certificate can be checked",
        on: "key",
      });
  }
};
