import { commandsIn } from "../shell/commands.ts";
import { SyntaxProblem } from "../shell/syntax.ts";

/** Programs that change a server, and those of which only some words do. */
const CHANGES: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  dd: (args) => args.some((arg) => /^of=(?!\/dev\/null$)/.test(arg) && !/^of=(\$|\/tmp|\/run)/.test(arg)),
  ...Object.fromEntries(
    ["reboot", "poweroff", "halt", "shutdown", "kexec", "umount", "swapoff", "vgchange"].map((name) => [name, () => true]),
  ),
  wipefs: (args) => args.some((arg) => /^(-\w*a|--all)/.test(arg)) && !args.includes("-n"),
  mdadm: (args) => args.some((arg) => arg === "--stop" || arg === "-S"),
  systemctl: (args) => args.includes("reboot") || args.includes("poweroff"),
};

/** Whether a command line could change its server, and a word for what it is about. */
export function changed(line: string): { mutating: boolean; word: string } {
  try {
    const found = commandsIn(line);
    const changing = found.find(({ name, args, writes }) => writes.some(isDevice) || CHANGES[name]?.(args));
    const first = found.find(({ name }) => !/^(export|echo|set|\[|:|umask|)$/.test(name));
    return { mutating: changing !== undefined, word: changing ? changing.name || "write" : (first?.name ?? "shell") };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { mutating: false, word: "shell" };
    throw error;
  }
}

/** A device, or what tells the kernel something. */
function isDevice(path: string): boolean {
  return /^\/(dev\/(?!null|stdout|stderr|shm)|proc\/sysrq-trigger)/.test(path);
}
