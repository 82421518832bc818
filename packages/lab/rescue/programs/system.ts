import { createHash } from "node:crypto";
import { invokeShell } from "../shell/invoke.ts";
import { partsOf } from "../shell/streams.ts";
import { RESET } from "../state.ts";
import { hostnameOf } from "../system/tree.ts";
import { complain, input, optionsOf, type Program, print, type Started } from "./program.ts";

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
export const pwd: Program = (started) => print(started, "/root\n");
export const succeed: Program = () => 0;
export const fail: Program = () => 1;

export const date: Program = (started) => {
  const now = new Date(started.host.lab.now());
  return print(started, started.args[0] === "+%s" ? `${Math.floor(now.getTime() / 1000)}\n` : `${now.toUTCString()}\n`);
};

export const sleep: Program = async ({ host, args, alive }) => {
  const units: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600 };
  for (const arg of args) {
    const [, number = "0", unit = ""] = /^([\d.]+)([smh]?)$/.exec(arg) ?? [];
    await host.lab.sleep(Number(number) * (units[unit] ?? 1) * 1000, alive);
  }
  return 0;
};

export const seq: Program = (started) => {
  const numbers = started.args.map(Number);
  const [from, step, to] =
    numbers.length === 1 ? [1, 1, numbers[0]] : numbers.length === 2 ? [numbers[0], 1, numbers[1]] : numbers;
  const lines: string[] = [];
  for (let at = from ?? 1; at <= (to ?? 0); at += step ?? 1) lines.push(`${at}\n`);
  return print(started, lines.join(""));
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

/** Of what comes in or of files, as all these programs print it. */
function sum(algorithm: string): Program {
  return async (started) => {
    const { rest } = optionsOf(started.args);
    for (const path of rest.length > 0 ? rest : ["-"]) {
      const file = await input(started, path);
      const hash = createHash(algorithm);
      for await (const part of partsOf(file)) hash.update(part);
      file.release();
      await print(started, `${hash.digest("hex")}  ${path}\n`);
    }
    return 0;
  };
}

export const sha256sum = sum("sha256");
export const sha512sum = sum("sha512");
export const md5sum = sum("md5");

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
    // -f asks nobody: it happens at once.
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

/** Programs that start another one. */
export const prefixes: Readonly<Record<string, Program>> = {
  nohup: (started) => started.exec(started.args),
  setsid: (started) => started.exec(started.args.filter((arg, at) => at > 0 || !arg.startsWith("-"))),
  nice: (started) => started.exec(withoutOptions(started.args, ["-n"])),
  ionice: (started) => started.exec(withoutOptions(started.args, ["-c", "-n"])),
  sudo: (started) => started.exec(withoutOptions(started.args, [])),
  env: (started) => started.exec(started.args.filter((arg) => !/^\w+=/.test(arg))),
  busybox: (started) => started.exec(started.args),
  timeout,
  xargs: async (started) => {
    const parts: Buffer[] = [];
    for await (const part of partsOf(started.stdin)) parts.push(part);
    return started.exec([
      ...started.args,
      ...Buffer.concat(parts)
        .toString("utf8")
        .split(/\s+/)
        .filter((word) => word !== ""),
    ]);
  },
};

function withoutOptions(args: readonly string[], valued: readonly string[]): string[] {
  const rest = [...args];
  while (rest[0]?.startsWith("-")) if (valued.includes(rest.shift() ?? "")) rest.shift();
  return rest;
}

async function timeout(started: Started): Promise<number> {
  const [seconds = "0", ...words] = withoutOptions(started.args, ["-s", "-k"]);
  const stop = new AbortController();
  const end = () => stop.abort();
  started.alive.addEventListener("abort", end, { once: true });
  let late = false;
  const clock = new AbortController();
  started.host.lab
    .sleep(Number.parseFloat(seconds) * 1000, clock.signal)
    .then(() => {
      late = true;
      stop.abort();
    })
    .catch(() => {});
  try {
    return await started.exec(words, stop.signal);
  } catch (error) {
    if (late) return 124;
    throw error;
  } finally {
    clock.abort();
    started.alive.removeEventListener("abort", end);
  }
}

/** `sh -c text name args…`, or a script that comes in. */
export const sh: Program = invokeShell;

export const which: Program = async (started) => {
  let code = 0;
  for (const name of started.args) code = (await started.script('command -v "$1"', [name])) || code;
  return code;
};
