import { type Command, InvalidArgumentError } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

interface TunnelFlags extends CommonFlags {
  port?: number;
}

const EXAMPLES = `  talosmith tunnel environments/homelab                 prints the kubectl command to use
  talosmith tunnel environments/homelab --port 16443    always the same port
  talosmith tunnel environments/homelab --json | head -1

For clusters whose nodes are reached only through an SSH host (network.via: ssh). Runs until Ctrl-C and leaves nothing behind.`;

export function tunnelCommand(): Command {
  return command("tunnel", "Serve the cluster's Kubernetes API on this computer, for kubectl.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("--port <port>", "port of 127.0.0.1 to listen on (default: a free port)", portNumber)
    .action(async (folder: string, flags: TunnelFlags) => {
      const { inSession } = await import("./session.ts");
      const { openTunnel } = await import("../workflows/tunnel.ts");
      await inSession(flags, (session) => openTunnel(session, folder, flags.port));
    });
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError("It must be a number from 1 to 65535.");
  return port;
}
