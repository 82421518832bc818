import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";
import type { Connection, ServerChannel, TcpipRequestInfo } from "ssh2";
import { listenAddress } from "../kernel/address-map.ts";
import { dripThrough } from "../kernel/drip.ts";
import type { Fault, Lab } from "../kernel/kernel.ts";
import { CONNECT_FAILED, PROHIBITED, refuseChannel } from "./refuse-channel.ts";
import { SERVICE } from "./state.ts";

export interface Asked {
  connection: Connection;
  /** The host's own address, from which it connects. */
  from: string;
  to: TcpipRequestInfo;
  accept(): ServerChannel;
  reject(): void;
  /** Ends the whole connection to the client. */
  cut(): void;
}

/** direct-tcpip: a connection to a machine, made by the host it runs on. */
export function forward(lab: Lab, asked: Asked): void {
  open(lab, asked).catch(() => {
    // The lab is closing, or the client has disconnected, so the error cannot be reported.
    asked.cut();
  });
}

async function open(lab: Lab, asked: Asked): Promise<void> {
  const { destIP, destPort } = asked.to;
  const { entry, fault } = lab.turn(() => {
    const call = { service: SERVICE, site: "direct-tcpip", resource: `${destIP}:${destPort}`, mutating: false };
    const entry = lab.recorder.begin(call);
    const fault = lab.fault(call);
    if (fault) entry.fault = fault.kind;
    return { entry, fault };
  });
  if (fault?.kind === "cut-before") return asked.cut();
  if (fault?.kind === "delay") await lab.sleep(fault.ms);
  const outcome = await attempt(lab, asked, fault);
  if (fault?.kind === "cut-after") {
    if ("socket" in outcome) outcome.socket.destroy();
    return asked.cut();
  }
  if ("refused" in outcome) {
    entry.status = outcome.refused;
    return refuseChannel(asked.connection, asked.reject, outcome.refused, outcome.why);
  }
  entry.status = 0;
  const channel = asked.accept();
  if (!channel) return void outcome.socket.destroy();
  if (fault?.kind === "task-error") outcome.socket.destroy();
  join(outcome.socket, channel, fault?.kind === "drip" ? fault.bytes : undefined);
}

type Outcome = { socket: Socket } | { refused: number; why: string };

async function attempt(lab: Lab, { from, to }: Asked, fault: Fault | undefined): Promise<Outcome> {
  if (fault?.kind === "refuse") return { refused: CONNECT_FAILED, why: fault.message };
  const host = ipaddr.isValid(to.destIP) ? listenAddress(lab, to.destIP) : undefined;
  if (host === undefined) return { refused: CONNECT_FAILED, why: "Name or service not known" };
  // A host of the lab reaches the lab, and nothing else of the machine it runs on.
  if (!host.startsWith(`${lab.address.prefix}.`)) return { refused: PROHIBITED, why: "open failed" };
  try {
    return { socket: await lab.world.net.dial({ host, port: to.destPort, localAddress: from }, lab.closing) };
  } catch (error) {
    if (lab.closing.aborted) throw error;
    return { refused: CONNECT_FAILED, why: words(error) };
  }
}

/** What strerror says. */
function words(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ECONNREFUSED" ? "Connection refused" : "No route to host";
}

/** `size`: of the pieces in which comes back what does, on purpose. */
function join(socket: Socket, channel: ServerChannel, size?: number): void {
  socket.on("error", () => {});
  channel.on("error", () => {});
  const back = size === undefined ? socket : socket.pipe(dripThrough(size));
  back.pipe(channel);
  channel.pipe(socket);
  back.on("close", () => {
    // What it said before it left may still wait for the listener's window.
    if (back.readableEnded && !channel.writableFinished) channel.once("finish", () => channel.destroy());
    else channel.destroy();
  });
  socket.on("close", () => {
    if (!socket.readableEnded) back.destroy();
  });
  // What came through the channel before it was closed is still delivered.
  channel.on("close", () => socket.destroySoon());
}
