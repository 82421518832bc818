import { remoteError, TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import { shellWord } from "@talosmith/lib/shell-word.ts";
import type { TakeoverRecord } from "../../takeover/record.ts";
import type { VpsNodeConfig } from "./config/config-on-vps.ts";
import type { VpsEnvironment } from "./vps-environment.ts";

/** The error for a server that cannot be taken over, with all problems that `judge` found. */
export function unfit({ name, ssh }: VpsNodeConfig, problems: readonly TalosmithError[]): TalosmithError {
  const [first] = problems;
  if (first && problems.length === 1) return first;
  return new TalosmithError(problems.every(({ kind }) => kind === "user") ? "user" : "remote", first?.code ?? "SERVER_UNFIT", {
    message: `Unable to take over the server at ${ssh.host} as ${name}: ${problems.length} problems`,
    problems,
    hint: "each of them has its own hint. Nothing was written.",
  });
}

export function stranger(env: VpsEnvironment, { name, ip }: VpsNodeConfig, why: string): TalosmithError {
  const where = env.where(["nodes", name, "ip"]);
  return remoteError("STRANGE_NODE", {
    message: `The machine at ${ip} is not ${name} of this cluster: it runs Talos with the config of another cluster`,
    detail: why,
    hint: `check the address; if the server is to become ${name}, put back the secrets.yaml it was made with, or start its rescue system and run this again`,
    ...(where && { where }),
  });
}

/** The error for a machine in maintenance mode that nothing identifies: any machine at that address would receive every secret of the cluster. */
export function unproven(env: VpsEnvironment, { name, ip }: VpsNodeConfig): TalosmithError {
  const where = env.where(["nodes", name]);
  return userError("UNPROVEN_MACHINE", {
    message: `The machine at ${ip} waits for a config, but nothing proves that it is ${name}`,
    detail:
      "It was not taken over from this folder, and in maintenance mode any machine could answer at this address. Nothing was sent to it.",
    hint: `set for ${name} what only that machine has: installDisk: { serial: … }, or mac (its console shows both)`,
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
    message: `Unable to reach the server of ${name}: neither Talos at ${ip} nor SSH at ${ssh.host} gives access`,
    detail: `Talos: ${silent}\nSSH: ${[closed.message, closed.detail].filter(Boolean).join("\n")}`,
    hint: [
      `start its rescue system in your provider's panel (${ownCommand("doctor", env.shown)} prints the steps), then run this again`,
      ...(closed.hint === undefined ? [] : [closed.hint]),
      "a worker with a config answers only while a control plane runs",
    ].join("\n"),
    ...(where && { where }),
  });
}

/** The error for a server that ran Talos and no longer answers. Its disk may hold a member of the cluster, so it is not restarted automatically. */
export function fellSilent(
  env: VpsEnvironment,
  { name, ip }: VpsNodeConfig,
  { restartedAt, begunAt }: TakeoverRecord,
  silent: string,
  closed: TalosmithError,
): TalosmithError {
  const where = env.where(["nodes", name, "ip"]);
  return remoteError("NODE_SILENT", {
    message: `${name} was put on the server at ${ip} on ${new Date(restartedAt ?? begunAt).toISOString().slice(0, 16)}Z, and does not answer now`,
    detail: `Talos: ${silent}\nSSH: ${closed.message}`,
    hint: `check its console in your provider's panel: does Talos start, and does its network work? firewall.admin must contain your own address. To install it again, start its rescue system there and run this again. Nothing was changed.`,
    ...(where && { where }),
  });
}

/** The error when a silent server is to be wiped: silence does not prove that no member of the cluster is left on it. */
export function notToldGone(
  env: VpsEnvironment,
  { name, address }: { name: string; address: string },
  silent: string,
): TalosmithError {
  const record = `${env.shown}/.talosmith/takeover/${name}`;
  return remoteError("NODE_SILENT", {
    message: `Unable to wipe ${name}: it was put on the server at ${address}, and does not answer now`,
    detail: `Talos: ${silent}`,
    hint: `start it in your provider's panel and run this again. If the server is gone or was reinstalled, move its record aside:  mv ${shellWord(record)} ${shellWord(`${record}.gone`)}\nNothing was changed.`,
  });
}

/** The error when the disk changed between the plan and the writing. */
export function anotherDisk({ name }: VpsNodeConfig, planned: string, found: string): TalosmithError {
  return remoteError("DISK_CHANGED", {
    message: `Unable to overwrite the disk of ${name}: it is not what the plan showed`,
    detail: `planned: ${planned}\nfound:   ${found}`,
    hint: "run the command again to see a new plan. Nothing was written.",
  });
}
