import type { KnownRefusal } from "../kernel/kernel.ts";

/** How a command ends on a system that is in trouble: an exit code, and what bash, the C library or sshd say about it. */
export const refusals = {
  "no-space": { status: 1, message: "cannot write: No space left on device", when: "the root file system is full" },
  "read-only": { status: 1, message: "cannot write: Read-only file system", when: "the disk has errors" },
  "io-error": { status: 1, message: "cannot read: Input/output error", when: "the disk has errors" },
  "not-permitted": { status: 1, message: "Operation not permitted", when: "root may not, in a container or under lockdown" },
  "cannot-execute": { status: 126, message: "bash: /usr/bin/true: Permission denied", when: "a file system is mounted noexec" },
  "not-found": { status: 127, message: "bash: command not found", when: "a package is missing" },
  terminated: { status: 143, message: "Terminated", when: "the system shuts down" },
  killed: { status: 137, message: "Killed", when: "the system has no memory left" },
  "no-fork": { status: 126, message: "bash: fork: Cannot allocate memory", when: "the system has no memory left" },
  lost: { status: 255, message: "No route to host", when: "the connection breaks" },
} as const satisfies Record<string, KnownRefusal>;
