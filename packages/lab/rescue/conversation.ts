import { timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import ssh2, { type AuthContext, type ParsedKey } from "ssh2";
import { dripSocket } from "../kernel/drip.ts";
import type { Lab } from "../kernel/kernel.ts";
import { publicBlobOf } from "../ssh/open-ssh-key.ts";
import { acceptSessions } from "../ssh/sessions.ts";
import { execute } from "./exec.ts";
import { hostKey, userKey } from "./keys.ts";
import { rescueState, SERVICE, type Server, serverNamed } from "./state.ts";

const IDENT = "OpenSSH_9.2p1 Debian-2+deb12u7";

/** One client at one server, from its first byte to its last. */
export function converse(lab: Lab, name: string, port: number, socket: Socket): void {
  socket.on("error", () => {});
  begin(lab, name, port, socket).catch(() => socket.destroy());
}

async function begin(lab: Lab, name: string, port: number, socket: Socket): Promise<void> {
  const server = serverNamed(lab, name);
  if (!server?.linux || server.runs === "talos" || server.runs === "nothing") return void socket.destroy();
  const { privateKey } = hostKey(lab, server, server.runs);
  if (lab.closing.aborted) return void socket.destroy();
  const { fault } = lab.turn(() => met(lab, name, "connect"));
  if (fault?.kind === "cut-before" || fault?.kind === "refuse") return void socket.destroy();
  if (fault?.kind === "delay") await lab.sleep(fault.ms);
  if (fault?.kind === "drip") dripSocket(socket, fault.bytes);
  const client = `${lab.seenAs(plain(socket.remoteAddress))} ${socket.remotePort ?? 0} ${plain(socket.localAddress)} ${port}`;
  const ssh = new ssh2.Server({ hostKeys: [privateKey], ident: IDENT }, (connection) => {
    connection.on("error", () => socket.destroy());
    connection.on("authentication", (asked) =>
      mayEnter(lab, server, asked) ? asked.accept() : asked.reject(["publickey", "password"]),
    );
    connection.on("ready", () => {
      if (fault?.kind === "cut-after") return void socket.destroy();
      acceptSessions(connection, (session) => {
        session.on("env", (agree) => agree?.());
        session.on("exec", (agree, _refuse, { command }) =>
          execute(lab, { server: name, command, client }, agree(), () => socket.destroy()),
        );
      });
    });
  });
  ssh.injectSocket(socket);
}

function met(lab: Lab, name: string, site: string) {
  const call = { service: SERVICE, site, resource: name, mutating: false };
  const entry = lab.recorder.begin(call);
  const fault = lab.fault(call);
  if (fault) entry.fault = fault.kind;
  return { fault };
}

function plain(address: string | undefined): string {
  return (address ?? "").replace(/^::ffff:/, "");
}

function mayEnter(lab: Lab, server: Server, asked: AuthContext): boolean {
  const { password } = rescueState(lab);
  if (asked.username !== "root") return false;
  if (asked.method === "password") {
    const known = [password, ...(server.login?.password ? [server.login.password] : [])];
    return known.some((one) => same(Buffer.from(asked.password), Buffer.from(one)));
  }
  if (asked.method !== "publickey") return false;
  const { key, signature, blob, hashAlgo } = asked;
  const known = [userKey(lab).publicKey, ...(server.login?.keys ?? [])].find((one) => same(key.data, publicBlobOf(one)));
  if (known === undefined) return false;
  // First a client only asks whether the key would do; it proves to have it afterwards.
  if (signature === undefined) return true;
  const parsed = ssh2.utils.parseKey(known);
  return !(parsed instanceof Error) && (parsed as ParsedKey).verify(blob ?? Buffer.alloc(0), signature, hashAlgo) === true;
}

function same(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
