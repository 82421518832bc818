import { timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import ssh2, { type AuthContext, type Connection, type ParsedKey, type Session } from "ssh2";
import type { Lab } from "../kernel/kernel.ts";
import { execute } from "./exec.ts";
import { forward } from "./forward.ts";
import { publicBlobOf } from "./open-ssh-key.ts";
import { acceptSessions } from "./sessions.ts";
import { serveFiles } from "./sftp.ts";
import { isOff, sshState } from "./state.ts";

const IDENT = "OpenSSH_10.0p2 Debian-7";

/** One client at one host, from its first byte to its last. */
export function converse(lab: Lab, hostName: string, socket: Socket): void {
  // Asked for each time: a restored lab has the keys of its snapshot.
  const host = sshState(lab).hosts.find((one) => one.name === hostName);
  if (!host?.hostKey || isOff(lab, hostName)) return void socket.destroy();
  const server = new ssh2.Server({ hostKeys: [host.hostKey.privateKey], ident: IDENT }, (connection) => {
    connection.on("error", () => socket.destroy());
    connection.on("authentication", (asked) => (mayEnter(lab, asked) ? asked.accept() : asked.reject(["publickey", "password"])));
    connection.on("ready", () => open(lab, host, connection, socket));
  });
  server.injectSocket(socket);
}

function open(lab: Lab, host: { name: string; last: number }, connection: Connection, socket: Socket): void {
  const from = lab.address.host(host.last);
  connection.on("tcpip", (accept, reject, to) =>
    forward(lab, { connection, from, to, accept, reject, cut: () => socket.destroy() }),
  );
  const cut = () => socket.destroy();
  const run = (session: Session) => {
    session.on("exec", (agree, _refuse, { command }) => execute(lab, host.name, command, agree(), cut));
    session.on("sftp", (agree, refuse) => serveFiles(lab, host.name, { accept: agree, reject: refuse, cut }));
  };
  acceptSessions(connection, run, sshState(lab).maxSessions);
}

function mayEnter(lab: Lab, asked: AuthContext): boolean {
  const { password, userKey } = sshState(lab);
  if (asked.username !== "root") return false;
  if (asked.method === "password") return same(Buffer.from(asked.password), Buffer.from(password));
  if (asked.method !== "publickey" || !userKey) return false;
  if (!same(asked.key.data, publicBlobOf(userKey.publicKey))) return false;
  // First a client only asks whether the key would do; it proves to have it afterwards.
  if (asked.signature === undefined) return true;
  const known = ssh2.utils.parseKey(userKey.publicKey) as ParsedKey;
  return known.verify(asked.blob ?? Buffer.alloc(0), asked.signature, asked.hashAlgo) === true;
}

function same(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
