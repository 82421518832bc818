import { COMMON } from "../../shell/programs/every-machine.ts";
import { type Program, print } from "../../shell/programs/program.ts";
import { FILE_COMMANDS } from "./file-commands.ts";
import { type Command, operandsOf } from "./invocation.ts";
import { tar } from "./tar.ts";

const printenv: Program = (run) => {
  const [name] = run.args;
  if (name === undefined) return print(run, [...run.environment].map(([key, value]) => `${key}=${value}\n`).join(""));
  const value = run.environment.get(name);
  return value === undefined ? 1 : print(run, `${value}\n`);
};

/** The commands of every container of the lab, whatever its image: enough to look around, and to copy files. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ...COMMON,
  ...FILE_COMMANDS,
  ...{ ash: COMMON.sh as Program, printenv, tar },
  hostname: (run) => print(run, `${run.inside.hostname}\n`),
  whoami: (run) => print(run, run.inside.user === 0 ? "root\n" : `${run.inside.user}\n`),
  id: (run) => {
    const { user } = run.inside;
    return print(run, run.args[0] === "-u" ? `${user}\n` : `uid=${user}${user === 0 ? "(root)" : ""} gid=0(root)\n`);
  },
  uname: (run) =>
    print(run, operandsOf(run.args).flags.includes("a") ? `Linux ${run.inside.hostname} lab x86_64 Linux\n` : "Linux\n"),
  date: (run) => print(run, `${new Date(run.inside.now()).toUTCString().replace(",", "")}\n`),
};
