import { remoteError, TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { shellWord } from "@talosmith/lib/shell-word.ts";
import type { TakeoverRecord } from "../../takeover/record.ts";
import type { VpsNodeConfig } from "./config/config-on-vps.ts";
import type { VpsEnvironment } from "./vps-environment.ts";

/** What is wrong about a server in the eyes of judge; several are told together. */
export function unfit({ name, ssh }: VpsNodeConfig, problems: readonly TalosmithError[]): TalosmithError {
  const [first] = problems;
  if (first && problems.length === 1) return first;
  return new TalosmithError(problems.every(({ kind }) => kind === "user") ? "user" : "remote", first?.code ?? "SERVER_UNFIT", {
    message: `Unable to take over the server at ${ssh.host} as ${name}: ${problems.length} things stand in the way`,
    problems,
    hint: "each of them says what to do. Nothing was written.",
  });
}

export function stranger(env: VpsEnvironment, { name, ip }: VpsNodeConfig, why: string): TalosmithError {
  const where = env.where(["nodes", name, "ip"]);
  return remoteError("STRANGE_NODE", {
    message: `The machine at ${ip} is not ${name} of this cluster: it runs Talos with a config of another one`,
    detail: why,
    hint: `check the address; if the server is to become ${name}, put back the secrets.yaml it was made with, or start its rescue system and run this again`,
    ...(where && { where }),
  });
}

/** Whoever has the address could answer in maintenance mode, and would be sent every secret of the cluster. */
export function unproven(env: VpsEnvironment, { name, ip }: VpsNodeConfig): TalosmithError {
  const where = env.where(["nodes", name]);
  return userError("UNPROVEN_MACHINE", {
    message: `The machine at ${ip} waits for a config, and nothing tells that it is ${name}`,
    detail: "It was not taken over from here, and in maintenance mode anybody can answer at an address. Nothing was sent to it.",
    hint: `write what only that machine has at ${name}: installDisk: { serial: … }, or mac (its console shows both)`,
    ...(where && { where }),
  });
}

/** Neither Talos nor SSH answers. */
export function noRescue(
  env: VpsEnvironment,
  { name, ip, ssh }: VpsNodeConfig,
  silent: string,
  closed: TalosmithError,
): TalosmithError {
  const where = env.where(["nodes", name, "ip"]);
  return remoteError("NO_RESCUE", {
    message: `Unable to reach the server of ${name}: neither Talos at ${ip} nor SSH at ${ssh.host} lets us in`,
    detail: `Talos: ${silent}\nSSH: ${[closed.message, closed.detail].filter(Boolean).join("\n")}`,
    hint: [
      `start its rescue system in your provider's panel (talosmith doctor ${env.shown} prints the steps), then run this again`,
      ...(closed.hint === undefined ? [] : [closed.hint]),
      "a worker that has its config already answers only while a control plane runs",
    ].join("\n"),
    ...(where && { where }),
  });
}

/** It was Talos's once. What is on its disk may be a member of the cluster, so nobody restarts it for us. */
export function fellSilent(
  env: VpsEnvironment,
  { name, ip }: VpsNodeConfig,
  { restartedAt, begunAt }: TakeoverRecord,
  silent: string,
  closed: TalosmithError,
): TalosmithError {
  const where = env.where(["nodes", name, "ip"]);
  return remoteError("NODE_SILENT", {
    message: `${name} was put on the server at ${ip} on ${new Date(restartedAt ?? begunAt).toISOString().slice(0, 16)}Z, and is silent now`,
    detail: `Talos: ${silent}\nSSH: ${closed.message}`,
    hint: `look at its console in your provider's panel: does it start Talos, and does its network work? firewall.admin must have the address you come from. To make it anew, start its rescue system there and run this again. Nothing was changed.`,
    ...(where && { where }),
  });
}

/** For who wants to be rid of it: silence is no proof that nothing of the cluster is there any more. */
export function notToldGone(
  env: VpsEnvironment,
  { name, address }: { name: string; address: string },
  silent: string,
): TalosmithError {
  const record = `${env.shown}/.talosmith/takeover/${name}`;
  return remoteError("NODE_SILENT", {
    message: `Unable to wipe ${name}: it was put on the server at ${address}, and is silent now`,
    detail: `Talos: ${silent}`,
    hint: `start it in your provider's panel and run this again. If the server is gone, or was installed anew, set aside what is known of it:  mv ${shellWord(record)} ${shellWord(`${record}.gone`)}\nNothing was changed.`,
  });
}

/** Between the plan and the writing somebody changed what is there. */
export function anotherDisk({ name }: VpsNodeConfig, planned: string, found: string): TalosmithError {
  return remoteError("DISK_CHANGED", {
    message: `Unable to overwrite the disk of ${name}: it is not what the plan showed`,
    detail: `planned: ${planned}\nfound:   ${found}`,
    hint: "run the command again to see a new plan. Nothing was written.",
  });
}
