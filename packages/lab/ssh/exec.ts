import type { ServerChannel } from "ssh2";
import { dripping } from "../kernel/drip.ts";
import type { Fault, Lab } from "../kernel/kernel.ts";
import { commandsIn } from "../shell/commands.ts";
import { COMMON } from "../shell/programs/every-machine.ts";
import { SyntaxProblem } from "../shell/syntax.ts";
import { runOnHost } from "./shell.ts";
import { isOff, SERVICE } from "./state.ts";

/** A session that runs one command, past the recorder and the faults like every other call. */
export function execute(lab: Lab, host: string, command: string, channel: ServerChannel, cut: () => void): void {
  run(lab, host, command, channel, cut).catch(() => cut());
}

async function run(lab: Lab, host: string, command: string, channel: ServerChannel, cut: () => void): Promise<void> {
  const input = collected(channel);
  const { entry, fault } = lab.turn(() => {
    const call = {
      service: SERVICE,
      site: "exec",
      resource: `${host}: ${firstWords(command)}`,
      mutating: changesSomething(command),
      command,
    };
    const entry = lab.recorder.begin(call);
    const fault = lab.fault(call);
    if (fault) entry.fault = fault.kind;
    return { entry, fault };
  });
  if (fault?.kind === "cut-before") return cut();
  if (fault?.kind === "delay") await lab.sleep(fault.ms);
  const broken = fault?.kind === "refuse" || fault?.kind === "task-error";
  const ended = broken
    ? { code: exitCode(fault), stdout: "", stderr: `${fault.message}\n` }
    : await runOnHost(lab, host, command, () => input);
  // A host that is off by now does not answer.
  const off = lab.turn(() => isOff(lab, host));
  if (fault?.kind === "cut-after" || off) return cut();
  entry.status = ended.code;
  if (fault?.kind === "drip") {
    await dripping((piece) => channel.write(piece), fault.bytes)(Buffer.from(ended.stdout));
    await dripping((piece) => channel.stderr.write(piece), fault.bytes)(Buffer.from(ended.stderr));
  } else {
    channel.write(ended.stdout);
    channel.stderr.write(ended.stderr);
  }
  channel.exit(ended.code);
  channel.end();
}

/** What a command ends with; ssh itself says 255 when it is not about the command. */
export function exitCode(fault: Extract<Fault, { kind: "refuse" | "task-error" }>): number {
  return fault.kind === "refuse" && fault.status <= 255 ? fault.status : 255;
}

/** What a call is about, in words that do not change from run to run and hold no value: "pveum role add". */
function firstWords(command: string): string {
  const last = command.split(/(?:&&|\|\||;|\n)\s*/).at(0) ?? "";
  return /^[a-z][\w./-]*(?: [a-z][a-z-]*){0,2}/.exec(last)?.[0] ?? "shell";
}

async function collected(channel: ServerChannel): Promise<Buffer> {
  const parts: Buffer[] = [];
  channel.on("data", (part: Buffer) => parts.push(part));
  await new Promise<void>((done) => channel.once("end", done).once("close", done));
  return Buffer.concat(parts);
}

/** Programs that change nothing. */
const LOOKS = new Set([
  ...Object.keys(COMMON).filter(
    (name) => !["env", "nohup", "setsid", "nice", "ionice", "tee", "timeout", "xargs"].includes(name),
  ),
  ...["umask", "set", "export", "exit", "command", "cd", ":", "ls", "readlink"],
  ...["uname", "hostname", "whoami", "id", "lsmod", "dpkg", "lspci", "dmesg", "ip", "pveversion"],
]);
/** Words that make a program change nothing. */
const LOOKING_WORDS = new Set(["list", "get", "status", "permissions", "config", "is-active", "is-enabled", "-n"]);

/** Whether a command line could change its host; one that cannot be parsed could not. */
function changesSomething(line: string): boolean {
  try {
    return commandsIn(line).some(({ name, args, writes }) => writes.some((path) => path !== "/dev/null") || changes(name, args));
  } catch (error) {
    if (error instanceof SyntaxProblem) return false;
    throw error;
  }
}

function changes(called: string, args: readonly string[]): boolean {
  const name = called.replace(/^\/(?:usr\/)?s?bin\//, "");
  // The body of a function is judged where its commands are, its arguments where it is called.
  if (name === "" || name === "$") return false;
  if (name === "ssh") return changesSomething(args.slice(args.findIndex((arg) => arg.startsWith("root@")) + 1).join(" "));
  if (LOOKS.has(name)) return false;
  return !args.some((arg) => LOOKING_WORDS.has(arg));
}
