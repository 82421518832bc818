import { fingerprint } from "@talosmith/lib/ssh/host-key.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import ssh2 from "ssh2";

const PATIENCE_MS = 10_000;

/** The fingerprint of an SSH server's host key; undefined when it cannot be read. It does not log in. */
export async function hostKeyOf(
  world: World,
  { host, port }: { host: string; port: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  const socket = await world.net.dial({ host, port }, signal).catch(() => undefined);
  if (socket === undefined) return undefined;
  const client = new ssh2.Client();
  return new Promise((resolve) => {
    let seen: string | undefined;
    const end = () => {
      client.destroy();
      resolve(seen);
    };
    client.on("error", end);
    client.on("close", end);
    client.connect({
      sock: socket,
      username: "nobody",
      readyTimeout: PATIENCE_MS,
      algorithms: { serverHostKey: ["ssh-ed25519", "ecdsa-sha2-nistp256", "rsa-sha2-512", "rsa-sha2-256"] },
      hostVerifier: (key: Buffer) => {
        seen = fingerprint(key);
        return false;
      },
    });
  });
}
