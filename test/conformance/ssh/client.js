import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";
import { freePort, untilListening } from "./port.js";

/** OpenSSH's own tools against the lab's SSH host: ssh-keyscan, ssh-keygen and `ssh -L`, with curl at its end. */
export async function sshClient(folder, withLab) {
  for (const program of ["ssh", "curl"])
    if ((await version(program, program === "ssh" ? "-V" : "--version")) === undefined)
      throw new Skipped(`there is no ${program}`);
  return withLab(async (lab) => {
    const work = `${folder}-client`;
    mkdirSync(work, { recursive: true });
    const [key, known] = [join(work, "key"), join(work, "known_hosts")];
    copyFileSync(join(folder, ".lab", "ssh-key"), key);
    const { "ssh-host": host, "ssh-port": port, "ssh-host-key": fingerprint, token } = lab;
    writeFileSync(known, await execute("ssh-keyscan", ["-p", port, "-t", "ed25519", host]));
    assert.match(await execute("ssh-keygen", ["-lf", known]), new RegExp(fingerprint.replaceAll(/[+/]/g, "\\$&")));

    const options = ["-F", "none", "-i", key, "-p", port, "-o", `UserKnownHostsFile=${known}`, "-o", "BatchMode=yes"];
    assert.equal(await execute("ssh", [...options, `root@${host}`, "hostname"]), "pve1\n");

    const local = await freePort();
    // An address of no network here: the host alone knows where it is.
    const forward = ["-N", "-o", "ExitOnForwardFailure=yes", "-L", `127.0.0.1:${local}:10.10.0.1:8006`];
    const tunnel = spawn("ssh", [...options, ...forward, `root@${host}`], { stdio: "ignore" });
    try {
      await untilListening(local);
      const header = ["--header", `Authorization: PVEAPIToken=${token}`];
      const url = `https://127.0.0.1:${local}/api2/json/version`;
      const answer = JSON.parse(await execute("curl", ["--silent", "--insecure", "--noproxy", "*", ...header, url]));
      assert.equal(answer.data.release, "9.2");
    } finally {
      tunnel.kill();
    }
    return "keyscan, exec and ssh -L";
  });
}
