import { existsSync } from "node:fs";
import { join } from "node:path";
import { version } from "../execute.js";
import { runOurs } from "../oracle.js";
import { Skipped } from "../skipped.js";

/** A server's disk overwritten through OpenSSH's own server: by a loop device where that is allowed, else by a file. */
export async function takeover(folder) {
  const sshd = ["/usr/sbin/sshd", "/usr/bin/sshd", "/usr/local/sbin/sshd"].find((path) => existsSync(path));
  if (sshd === undefined) throw new Skipped("there is no sshd");
  if (process.getuid?.() !== 0) throw new Skipped("only root may log in as root");
  if (!existsSync("/run/sshd")) throw new Skipped("sshd has no /run/sshd, which it needs when root starts it");
  for (const program of ["curl", "zstd", "xz", "gzip"])
    if ((await version(program, "--version")) === undefined) throw new Skipped(`there is no ${program}`);
  return (await runOurs(join(import.meta.dirname, "play.ts"), folder, [folder, sshd])).trim();
}
