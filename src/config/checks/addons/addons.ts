import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Report } from "../../report.ts";
import type { Draft } from "../../shape.ts";
import { told, toldCharts } from "../../told-presets.ts";
import { type Check, type Facts, gpuOf } from "../facts.ts";
import { isBare } from "../image.ts";
import { cilium } from "./cilium.ts";
import { git } from "./git.ts";
import { storage } from "./storage.ts";

/** Checks that addons fit the cluster and are downloaded safely. */
export const addons: Check = (facts, report) => {
  const { draft, pools } = facts;
  cilium(facts, report);
  for (const preset of ["flux", "argocd"] as const) git(preset, facts, report);
  storage(facts, report);
  if (told(draft, "nvidia") !== undefined && pools.length > 0 && !pools.some((pool) => gpuOf(facts, pool) !== undefined))
    report.warn(["addons", "nvidia"], {
      message: "addons.nvidia has no effect: no node has a gpu",
      hint: "set gpu: nvidia on the nodes that have one, so that their image contains the driver",
      on: "key",
    });
  monitoring(draft, report);
  secretNames(draft, report);
  safely(facts, report);
};

/** Checks that a destination accepts logs, and that each username has a password. */
function monitoring(draft: Draft, report: Report): void {
  const { destinations = {}, logs } = told(draft, "monitoring") ?? {};
  for (const [name, destination] of Object.entries(destinations)) {
    if (destination?.username === undefined || destination.password !== undefined) continue;
    const path = ["addons", "monitoring", "destinations", name, "username"];
    report.problem(path, {
      message: `${pathName(path)} is set, but password is missing`,
      hint: "add password, or remove username",
      on: "key",
    });
  }
  const types = Object.values(destinations).map((destination) => destination?.type);
  if (logs === true && types.length > 0 && types.every((type) => type === "prometheus"))
    report.problem(["addons", "monitoring", "logs"], {
      message: "addons.monitoring.logs is set, but no destination accepts logs",
      hint: "add a destination of type: loki or otlp, or remove logs",
      on: "key",
    });
}

function secretNames({ addons }: Draft, report: Report): void {
  const names = (addons?.secrets ?? []).map((secret) =>
    secret?.name === undefined || secret.namespace === undefined ? undefined : `${secret.namespace}/${secret.name}`,
  );
  for (const [index, name] of names.entries()) {
    const first = names.indexOf(name);
    if (name === undefined || first === index) continue;
    const path = ["addons", "secrets", index];
    report.problem(path, {
      message: `${pathName(path)} is Secret ${name}, and so is ${pathName(["addons", "secrets", first])} (${report.line(["addons", "secrets", first])})`,
      hint: "write all its entries under one data",
    });
  }
}

/** Warns about downloads without TLS. */
function safely({ draft, platform }: Facts, report: Report): void {
  const warn = (path: Path, address: string | undefined, what: string) => {
    if (address !== undefined && isBare(address))
      report.warn(path, {
        message: `${pathName(path)} is reached without TLS, so ${what} could be changed in transit`,
        hint: "use https://",
      });
  };
  for (const [key, { repository }] of toldCharts(draft, platform)) warn(["addons", key, "repository"], repository, "the chart");
  for (const [index, chart] of (draft.addons?.charts ?? []).entries())
    warn(["addons", "charts", index, "repository"], chart?.repository, "the chart");
  for (const [index, entry] of (draft.addons?.manifests ?? []).entries())
    if (typeof entry === "object" && entry.sha256 === undefined)
      warn(["addons", "manifests", index, "url"], entry.url, "the manifest");
}
