import { type Command, InvalidArgumentError } from "commander";
import { command } from "./flags.ts";
import { type FaultFlags, USUAL } from "./lab-fault-flags.ts";

const EXAMPLES = `  talosmith lab fault                                     what is broken, and what can be broken
  talosmith lab fault environments/lab refuse --service proxmox --error lock-timeout --times 3
  talosmith lab fault environments/lab cut-after --service proxmox --call "POST /nodes/*" --nth 2
  talosmith lab fault environments/lab delay --ms 40000 --service talos --probability 0.2
  talosmith lab fault environments/lab drip --bytes 1 --service kubernetes
  talosmith lab fault environments/lab down --service talos --host 11 --silent
  talosmith lab fault environments/lab power-loss pve1    an event that happens once
  talosmith lab fault environments/lab clear              calls and addresses work again`;

export function faultCommand(): Command {
  return command("fault", "Break something in the lab on purpose: calls, addresses, hosts, the clock.", EXAMPLES, "accepted")
    .argument("[environment]", "the folder of the environment that uses the lab", USUAL)
    .argument("[what]", "delay, refuse, cut-before, cut-after, drip, task-error, down, clear, or the name of an event")
    .argument("[args...]", "arguments of the event, such as the name of a host")
    .option("--service <name>", "only calls of this service (proxmox, talos, kubernetes …)")
    .option("--call <site>", 'only this call; * stands for any text ("POST /nodes/*")')
    .option("--resource <text>", 'only calls about this; * stands for any text ("vm 104")')
    .option("--command <text>", 'only commands of a shell like this ("*reboot*")')
    .option("--nth <n>", "only the n-th such call from now on", wholeNumber)
    .option("--probability <p>", "probability that such a call fails, from 0 to 1", probability)
    .option("--times <n>", "at most this many times", wholeNumber)
    .option("--ms <n>", "with delay: milliseconds of the lab's time", wholeNumber)
    .option("--bytes <n>", "with drip: the size of each piece (1)", wholeNumber)
    .option("--status <n>", "with refuse: an HTTP status, a gRPC code or an exit code", wholeNumber)
    .option("--message <text>", "with refuse and task-error: the error message")
    .option("--error <name>", "with refuse: a known error of the service")
    .option("--host <address>", "with down: an address, or its last number")
    .option("--silent", "with down: connections get no answer instead of being refused")
    .action(async (folder: string, what: string | undefined, args: string[], flags: FaultFlags) => {
      const { inSession } = await import("./session.ts");
      const { breakLab } = await import("./lab-fault-run.ts");
      await inSession(flags, (session) => breakLab(session, { folder, what, args, flags }));
    });
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above 0.");
  return Number(text);
}

function probability(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= 1)) throw new InvalidArgumentError("It must be a number from 0 to 1.");
  return value;
}
