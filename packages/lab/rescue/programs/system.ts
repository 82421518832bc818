import { createHash } from "node:crypto";
import { complain, optionsOf, print } from "../../shell/programs/program.ts";
import { withoutOptions } from "../../shell/programs/starting.ts";
import { partsOf } from "../../shell/streams.ts";
import { RESET } from "../state.ts";
import { hostnameOf } from "../system/tree.ts";
import type { Program } from "./program.ts";

export const uname: Program = (started) => {
  const arch = started.host.look(({ server }) => (server.arch === "arm64" ? "aarch64" : "x86_64"));
  const { given } = optionsOf(started.args);
  const all = { s: "Linux", n: started.host.look(hostnameOf), r: "6.1.0-37-amd64", v: "#1 SMP Debian", m: arch, o: "GNU/Linux" };
  const wanted = (Object.keys(all) as (keyof typeof all)[]).filter((letter) => given.has("a") || given.has(letter));
  return print(started, `${(wanted.length > 0 ? wanted : (["s"] as const)).map((letter) => all[letter]).join(" ")}\n`);
};

export const hostname: Program = (started) => print(started, `${started.host.look(hostnameOf)}\n`);
export const whoami: Program = (started) => print(started, "root\n");
export const id: Program = (started) =>
  print(started, started.args.includes("-u") || started.args.includes("-g") ? "0\n" : "uid=0(root) gid=0(root) groups=0(root)\n");
export const nproc: Program = (started) => print(started, `${started.host.look(({ server }) => server.cores)}\n`);
export const date: Program = (started) => {
  const now = new Date(started.host.lab.now());
  return print(started, started.args[0] === "+%s" ? `${Math.floor(now.getTime() / 1000)}\n` : `${now.toUTCString()}\n`);
};

export const dmidecode: Program = (started) => {
  const { uuid } = started.host.look(({ server }) => server);
  if (started.args.includes("system-uuid")) return print(started, `${uuid}\n`);
  return print(
    started,
    `# dmidecode 3.4\nSystem Information\n\tManufacturer: Talosmith\n\tProduct Name: vServer\n\tUUID: ${uuid}\n`,
  );
};

export const mokutil: Program = (started) => {
  const { firmware, secureBoot } = started.host.look(({ server }) => server);
  if (firmware === "bios") return complain(started, "EFI variables are not supported on this system", 255);
  return print(started, `SecureBoot ${secureBoot ? "enabled" : "disabled"}\n`);
};

export const openssl: Program = async (started) => {
  const [command, ...args] = started.args;
  const algorithm = command === "dgst" ? (args.find((arg) => /^-(sha|md5)/.test(arg))?.slice(1) ?? "sha256") : (command ?? "");
  if (!["sha256", "sha512", "md5"].includes(algorithm))
    return complain(started, `Invalid command '${command ?? ""}'; type "help" for a list.`);
  const hash = createHash(algorithm);
  for await (const part of partsOf(started.stdin)) hash.update(part);
  return print(
    started,
    args.includes("-r") ? `${hash.digest("hex")} *stdin\n` : `${algorithm.toUpperCase()}(stdin)= ${hash.digest("hex")}\n`,
  );
};

function goDown(off: boolean, after = 2000): Program {
  return async ({ host, args }) => {
    // With -f nothing is shut down first: it happens at once.
    const now = args.some((arg) => /^-\w*f/.test(arg));
    host.look(() => host.lab.schedule(RESET, now ? 0 : after, { server: host.name, ...(off && { off }) }));
    if (now) await host.lab.sleep(60_000, host.alive).catch(() => {});
    return 0;
  };
}

export const reboot = goDown(false);
export const poweroff = goDown(true);
export const shutdown: Program = (started) => (started.args.includes("-r") ? reboot(started) : poweroff(started));
export const kexec: Program = (started) => complain(started, "kexec_file_load failed: Operation not permitted", 255);

export const systemctl: Program = (started) => {
  const action = started.args.find((arg) => !arg.startsWith("-"));
  if (action === "reboot") return reboot(started);
  if (action === "poweroff") return poweroff(started);
  return complain(started, `Unknown command verb ${action ?? ""}.`);
};

/** Programs that start another one, and that a Debian server or a BusyBox has besides the common ones. */
export const prefixes: Readonly<Record<string, Program>> = {
  sudo: (started) => started.exec(withoutOptions(started.args, [])),
  busybox: (started) => started.exec(started.args),
};
