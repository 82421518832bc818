import type { ServerChannel } from "ssh2";
import { dripping } from "../kernel/drip.ts";
import type { Fault, Lab } from "../kernel/kernel.ts";
import { changesSomething } from "./reading.ts";
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
