import type { ServerChannel } from "ssh2";

/** What a host can be told to do: enough to see that one is there. */
const COMMANDS: Record<string, (host: string) => string> = {
  true: () => "",
  hostname: (host) => `${host}\n`,
  pveversion: () => "pve-manager/9.2.11/7f1f8a2b3c4d5e6f (running kernel: 6.17.4-2-pve)\n",
};

export function execute(host: string, command: string, channel: ServerChannel): void {
  const run = Object.hasOwn(COMMANDS, command.trim()) ? COMMANDS[command.trim()] : undefined;
  if (run) channel.write(run(host));
  else channel.stderr.write(`bash: line 1: ${command.trim().split(" ")[0]}: command not found\n`);
  channel.exit(run ? 0 : 127);
  channel.end();
}
