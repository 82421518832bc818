import { remoteError, type TalosmithError } from "@talosmith/lib/errors.ts";
import type { Shell } from "../shell.ts";

const NOT_RESTARTED = "The server was not restarted.";

/** The last lines of a program's output. */
export function lastWords(stderr: string): string {
  return stderr.trim().split("\n").slice(-5).join("\n").slice(-500);
}

export function unwritable(shell: Shell, disk: string, stderr: string): TalosmithError {
  return remoteError("DISK_WRITE", {
    message: `Unable to write to ${disk} of ${shell.target.host}`,
    detail: `${lastWords(stderr)}\n${NOT_RESTARTED}`.trimStart(),
    hint: `check its kernel log for disk errors (dmesg); if the disk is good, run the same command again: it starts over`,
  });
}

export function unreadable(shell: Shell, disk: string, stderr: string): TalosmithError {
  return remoteError("DISK_READ", {
    message: `Unable to read ${disk} of ${shell.target.host}`,
    detail: `${lastWords(stderr)}\n${NOT_RESTARTED}`.trimStart(),
    hint: "check its kernel log for disk errors (dmesg); a disk that cannot be read is broken",
  });
}

/** `what`: the piece that differs. */
export function writeDiffers(shell: Shell, disk: string, what: string): TalosmithError {
  return remoteError("WRITE_DIFFERS", {
    message: `Unable to trust ${disk} of ${shell.target.host}: it does not return what was written`,
    detail: `${what}\n${NOT_RESTARTED}`,
    hint: "run the same command again: it starts over. If it fails again, the disk, its cable or the memory is broken, or another program writes to it",
  });
}

/** The error for an image that was damaged at the factory or during the transfer. */
export function imageUnreadable(what: string, why: string, cause?: unknown): TalosmithError {
  return remoteError("IMAGE_UNREADABLE", {
    message: `Unable to unpack ${what}: ${why}`,
    detail: NOT_RESTARTED,
    hint: "run the same command again: it starts over. If it fails again, something between here and the image factory changes files",
    transient: true,
    ...(cause !== undefined && { cause }),
  });
}
