import { posix } from "node:path";
import { FILE_COMMANDS } from "./file-commands.ts";
import { type Command, operandsOf } from "./invocation.ts";
import { tar } from "./tar.ts";

const seconds = (text: string) => Number.parseFloat(text) * ({ m: 60, h: 3600, d: 86_400 }[text.slice(-1)] ?? 1);

/** Commands that every container of the lab can run, whatever its image: enough to look around, and to copy files. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ...FILE_COMMANDS,
  tar,
  true: () => 0,
  ":": () => 0,
  false: () => 1,
  echo: ({ args, out }) => {
    const isBare = args[0] === "-n";
    out(`${args.slice(isBare ? 1 : 0).join(" ")}${isBare ? "" : "\n"}`);
    return 0;
  },
  printf: ({ args: [format = "", ...values], out }) => {
    const escapes: Record<string, string> = { n: "\n", t: "\t", "\\": "\\" };
    const text = format.replace(/\\([nt\\])/g, (_, letter: string) => escapes[letter] ?? "");
    out(text.replace(/%[sd]/g, () => values.shift() ?? ""));
    return 0;
  },
  env: ({ env, out }) => {
    for (const [name, value] of Object.entries(env)) out(`${name}=${value}\n`);
    return 0;
  },
  printenv: ({ args: [name], env, out }) => {
    if (name !== undefined && env[name] === undefined) return 1;
    for (const [key, value] of Object.entries(env)) {
      if (name === undefined) out(`${key}=${value}\n`);
      else if (key === name) out(`${value}\n`);
    }
    return 0;
  },
  hostname: ({ inside, out }) => {
    out(`${inside.hostname}\n`);
    return 0;
  },
  pwd: ({ folder, out }) => {
    out(`${folder}\n`);
    return 0;
  },
  whoami: ({ inside, out }) => {
    out(inside.user === 0 ? "root\n" : `${inside.user}\n`);
    return 0;
  },
  id: ({ args, inside: { user }, out }) => {
    out(args[0] === "-u" ? `${user}\n` : `uid=${user}${user === 0 ? "(root)" : ""} gid=0(root)\n`);
    return 0;
  },
  uname: ({ args, inside, out }) => {
    out(operandsOf(args).flags.includes("a") ? `Linux ${inside.hostname} lab x86_64 Linux\n` : "Linux\n");
    return 0;
  },
  date: ({ inside, out }) => {
    out(`${new Date(inside.now()).toUTCString().replace(",", "")}\n`);
    return 0;
  },
  sleep: async ({ args: [text = "0"], inside }) => {
    await inside.sleep(seconds(text) * 1000);
    return 0;
  },
  basename: ({ args: [path = "", suffix = ""], out }) => {
    out(`${posix.basename(path, suffix)}\n`);
    return 0;
  },
};
