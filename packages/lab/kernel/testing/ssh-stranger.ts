import ssh2 from "ssh2";
import type { Heard } from "./fault-contract.ts";

export interface Login {
  host: string;
  port: number;
  privateKey: string;
}

interface OpenFailure extends Error {
  reason?: number;
}

/** Connects, does one thing, and disconnects. */
function once(login: Login, work: (client: ssh2.Client, heard: (status: number | undefined, parts: Buffer[]) => void) => void) {
  return new Promise<Heard>((done) => {
    const client = new ssh2.Client();
    const heard = (status: number | undefined, parts: Buffer[]) => {
      done({ status, text: Buffer.concat(parts).toString(), pieces: parts.length });
      client.end();
    };
    client.on("ready", () => work(client, heard)).on("error", () => heard(undefined, []));
    client.connect({ ...login, username: "root", hostVerifier: () => true });
  });
}

/** The output of a command, both streams, and its exit code. */
export function ran(login: Login, command: string, stdin: Uint8Array | string = ""): Promise<Heard> {
  return once(login, (client, heard) => {
    const parts: Buffer[] = [];
    let code: number | undefined;
    client.on("close", () => heard(undefined, parts));
    client.exec(command, (error, channel) => {
      if (error) return heard(undefined, parts);
      channel.on("data", (part: Buffer) => parts.push(part)).stderr.on("data", (part: Buffer) => parts.push(part));
      channel.on("exit", (status: number) => (code = status)).on("close", () => heard(code, parts));
      channel.end(stdin);
    });
  });
}

/** The data from the other end of a tunnel, and 0; or the reason why it could not be opened. */
export function tunnelled(login: Login, to: { host: string; port: number }): Promise<Heard> {
  return once(login, (client, heard) => {
    client.on("close", () => heard(undefined, []));
    client.forwardOut("127.0.0.1", 1, to.host, to.port, (error: OpenFailure | undefined, channel) => {
      if (error) return heard(error.reason, [Buffer.from(error.message)]);
      const parts: Buffer[] = [];
      channel.on("data", (part: Buffer) => parts.push(part)).on("close", () => heard(0, parts));
      channel.end();
    });
  });
}
