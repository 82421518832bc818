import type { LabHandle } from "@talosmith/lab/host/lab-file.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { FactsResult } from "../engine/result.ts";
import { labFolder } from "./lab-folder.ts";
import type { CommandSession } from "./session.ts";

export async function showLab({ world, bus }: CommandSession, folder: string): Promise<number> {
  const { readLab } = await import("@talosmith/lab/host/lab-file.ts");
  const { labStatus } = await import("@talosmith/lab/host/client.ts");
  const lab = readLab(world, labFolder(folder));
  if (!lab) throw noLab(folder);
  const status = await labStatus(world, lab);
  const facts = labFacts(folder, lab);
  facts.facts.push(
    { key: "now", label: "time in the lab", value: status.now },
    { key: "timeScale", label: "speed", value: status.timeScale },
    { key: "calls", label: "calls so far", value: status.calls },
    { key: "pending", label: "under way", value: status.pending },
    { key: "broken", label: "broken on purpose", value: brokenWords(status.faults.length, status.outages.length) },
  );
  if (status.faults.length + status.outages.length > 0) facts.next.push(ownCommand("lab fault", folder));
  bus.emit({ type: "result", result: facts });
  return 0;
}

function brokenWords(faults: number, outages: number): string {
  const count = (number: number, word: string) => (number === 0 ? [] : [`${number} ${word}${number === 1 ? "" : "s"}`]);
  return [...count(faults, "fault"), ...count(outages, "outage")].join(", ") || "nothing";
}

export function noLab(folder: string) {
  return userError("NO_LAB", {
    message: `No lab is running for ${folder}`,
    hint: `start one:  ${ownCommand("lab start", folder)}`,
  });
}

export function labFacts(folder: string, lab: LabHandle): FactsResult {
  const { url = "", fingerprint = "", hosts = "", version = "", gpus = "" } = lab.services.proxmox ?? {};
  return {
    kind: "facts",
    name: "lab",
    title: "the lab is running",
    facts: [
      { key: "environment", label: "environment", value: folder },
      ...(lab.services.proxmox
        ? [
            { key: "proxmox", label: "Proxmox", value: url },
            { key: "version", label: "Proxmox VE", value: version },
            { key: "hosts", label: "hosts", value: hosts },
            ...(gpus === "" ? [] : [{ key: "gpus", label: "hosts with a GPU", value: gpus }]),
            { key: "fingerprint", label: "fingerprint", value: fingerprint },
            { key: "token", label: "token", value: `in ${labFolder(folder)}/token` },
          ]
        : []),
      ...(lab.services.rescue
        ? [
            { key: "servers", label: "rented servers", value: lab.services.rescue.servers ?? "" },
            { key: "provider", label: "their provider's API", value: lab.services.hetzner?.url ?? "" },
            { key: "providerToken", label: "token", value: `in ${labFolder(folder)}/provider-token` },
          ]
        : []),
      { key: "factory", label: "image factory", value: lab.services.factory?.url ?? "" },
      { key: "addresses", label: "addresses", value: lab.block },
      { key: "pid", label: "process", value: lab.process.pid },
    ],
    next: [],
  };
}
