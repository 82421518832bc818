import type { Shell } from "../../shell.ts";
import { DISKS, NETWORK, SYSTEM } from "../commands.ts";

/** The output of a server by section; missing sections are empty. */
export interface Recording {
  readonly system: Readonly<Record<string, string>>;
  readonly disks: Readonly<Record<string, string>>;
  readonly network: Readonly<Record<string, string>>;
  /** Disks that hold nothing but zeros. */
  readonly blank: readonly string[];
  /** Disks that cannot be read. */
  readonly broken?: readonly string[];
  /** Bytes at a place, "/dev/sda1 4096" → "fc 4e 2b a9 01 00 00 00"; elsewhere zeros. */
  readonly marks?: Readonly<Record<string, string>>;
}

export function recordedShell(
  recording: Recording,
  answer?: (command: string, stdout: string) => string,
): Shell & { ran: string[] } {
  const ran: string[] = [];
  const never = async () => {
    throw new Error("a survey neither feeds nor fetches");
  };
  return {
    ran,
    target: { host: "203.0.113.11", port: 22, user: "root" },
    run: async (command) => {
      ran.push(command);
      const stdout = answerTo(command, recording);
      return { code: 0, stdout: answer?.(command, stdout) ?? stdout, stderr: "" };
    },
    feed: never,
    fetch: never,
    hostKey: () => "SHA256:recorded",
    close: () => {},
  };
}

function answerTo(command: string, recording: Recording): string {
  const texts = new Map([
    [SYSTEM, recording.system],
    [DISKS, recording.disks],
    [NETWORK, recording.network],
  ]).get(command);
  if (texts === undefined) return bytesOf(command, recording);
  const names = [...command.matchAll(/^echo '@@ (\w+)'$/gm)].map(([, name = ""]) => name);
  return names.map((name) => `@@ ${name}\n${texts[name]?.replace(/^\n/, "") ?? ""}`.trimEnd()).join("\n");
}

/** Simulates the output of dd, wc, tr and od. */
function bytesOf(command: string, { blank, broken = [], marks = {}, disks }: Recording): string {
  const lines = command.split("\n").flatMap((line) => {
    const [, kind, device = "", at = "", count = ""] =
      /^echo (\w+) (\S+) (\d+) \$\(dd if=\S+ bs=\d+ skip=\d+ count=(\d+)/.exec(line) ?? [];
    const isBroken = broken.includes(device);
    if (kind === "peek")
      return [`peek ${device} ${at} ${isBroken ? "" : (marks[`${device} ${at}`] ?? Array(Number(count)).fill("00").join(" "))}`];
    if (kind !== "stretch") return [];
    const sectors = Number(new RegExp(`^${device.replace("/dev", "/sys/block")}/size:(\\d+)`, "m").exec(disks.sysfs ?? "")?.[1]);
    const read = isBroken ? 0 : Math.max(0, Math.min(Number(count) * MIB, sectors * 512 - Number(at) * MIB));
    return [`stretch ${device} ${at} ${read} ${isBroken || blank.includes(device) ? 0 : 4711}`];
  });
  return ["@@ bytes", ...lines, "@@ end"].join("\n");
}

const MIB = 1024 * 1024;

/** Lines as `grep -H .` prints the files of a folder. */
export function files(folder: string, contents: Readonly<Record<string, string | number>>): string {
  return Object.entries(contents)
    .map(([file, content]) => `${folder}/${file}:${content}\n`)
    .join("");
}
