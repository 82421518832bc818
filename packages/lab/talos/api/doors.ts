import type { IncomingMessage, ServerResponse } from "node:http";
import { listenAddress } from "../../kernel/address-map.ts";
import type { Door, Endpoint, Lab } from "../../kernel/kernel.ts";
import { addressHolders } from "../addresses.ts";
import { machineConfig } from "../config/machine-config.ts";
import type { Machine } from "../state.ts";
import type { Caller } from "./caller.ts";
import { isCertificate, isForClientsOnly, maintenanceIdentity, nodeIdentity, readCertificate, rolesIn } from "./certificates.ts";
import { grpcAnswer } from "./grpc.ts";

export const TALOS_PORT = 50_000;

export interface TalosDoors {
  doors(lab: Lab): readonly Door[];
  behind(lab: Lab, door: Door): Endpoint;
}

/** Port 50000 of every reachable machine. */
export function talosDoors(): TalosDoors {
  /** Responses being sent, by door: it must not close before they are sent. */
  const leaving = new Map<string, number>();
  let open = new Map<string, Door>();
  let last: { holders: object; doors: readonly Door[] } | undefined;

  const doors = (lab: Lab): readonly Door[] => {
    const holders = addressHolders(lab);
    if (last?.holders === holders) return last.doors;
    const wanted = new Map(wantedDoors(lab).map(({ door }) => [door.host, door]));
    const held = [...open.values()].filter((door) => leaving.has(door.key) && wanted.get(door.host)?.key !== door.key);
    for (const door of held) wanted.set(door.host, door);
    open = wanted;
    last = held.length > 0 ? undefined : { holders, doors: [...wanted.values()] };
    return [...wanted.values()];
  };

  /** Returns a function that keeps the door open until the response has ended. */
  const holding = (lab: Lab, door: Door, response: ServerResponse): (() => void) => {
    let state: "free" | "held" | "over" = "free";
    response.once("close", async () => {
      const held = state === "held";
      state = "over";
      if (!held) return;
      // The response's last data may still be in the socket's buffer.
      await lab.world.clock.sleep(1);
      const left = (leaving.get(door.key) ?? 1) - 1;
      if (left > 0) leaving.set(door.key, left);
      else leaving.delete(door.key);
      if (!lab.closing.aborted) lookAgain(lab);
    });
    return () => {
      if (state !== "free") return;
      state = "held";
      leaving.set(door.key, (leaving.get(door.key) ?? 0) + 1);
    };
  };

  return {
    doors,
    behind(lab, door) {
      const found = wantedDoors(lab).find((one) => one.door.host === door.host && one.door.key === door.key);
      if (!found) return noMachine(door);
      return endpoint(lab, found.machine, door, (response) => holding(lab, door, response));
    },
  };
}

/** Runs a turn; a failure is reported by the next call. */
function lookAgain(lab: Lab): void {
  try {
    lab.turn(() => {});
  } catch {}
}

function wantedDoors(lab: Lab): { door: Door; machine: Machine }[] {
  const taken = new Set<string>();
  return [...addressHolders(lab)].flatMap(([address, machine]) => {
    const host = listenAddress(lab, address);
    const key = doorKey(machine);
    if (key === undefined || taken.has(host)) return [];
    taken.add(host);
    return [{ door: { host, port: TALOS_PORT, key: `${key} ${machine.key} ${address}` }, machine }];
  });
}

function doorKey({ boot }: Machine): string | undefined {
  if (boot?.api === "maintenance" || boot?.api === "leaving maintenance") return `${boot.api} ${boot.number}`;
  const config = boot?.config === undefined ? undefined : machineConfig(boot.config);
  return config && `apid ${boot?.number} ${config.trust}`;
}

function endpoint(lab: Lab, machine: Machine, door: Door, holding: (response: ServerResponse) => () => void): Endpoint {
  const { boot } = machine;
  if (!boot) return noMachine(door);
  const config = boot.config === undefined ? undefined : machineConfig(boot.config);
  const mode = boot.api === "certificates" && config ? "certificates" : "maintenance";
  const identity =
    config && mode === "certificates" ? nodeIdentity(lab, machine, boot, config) : maintenanceIdentity(lab, machine, boot);
  if (!identity) return noMachine(door);
  const trusted = config ? [config.ca.certificate, ...config.acceptedCas].filter(isCertificate).join("") : "";
  return {
    host: door.host,
    port: door.port,
    protocol: "h2",
    tls: { ...identity, ...(mode === "certificates" && { clients: { ca: trusted, certificate: "required" } }) },
    answer: grpcAnswer((request, response) => {
      const connection = connectionOf(request);
      const roles = mode === "maintenance" ? ["os:reader"] : connection.roles();
      if (roles === undefined || boot.api === "leaving maintenance") {
        connection.cut();
        return undefined;
      }
      const caller: Caller = {
        lab,
        machine: machine.key,
        boot: boot.number,
        mode,
        roles,
        name: machine.name,
        cut: connection.cut,
        hold: holding(response),
      };
      return caller;
    }),
  };
}

/** Node's HTTP/2 objects behind the types of HTTP/1. */
interface Http2Request {
  stream: { session?: { destroy(): void; socket: { getPeerX509Certificate?(): { raw: Uint8Array } | undefined } } };
}

type Session = NonNullable<Http2Request["stream"]["session"]>;

/** A connection has one certificate; parsing it takes longer than most calls. */
const rolesOf = new WeakMap<Session, string[] | undefined>();

function connectionOf(request: IncomingMessage): { cut(): void; roles(): string[] | undefined } {
  const { session } = (request as unknown as Http2Request).stream;
  return {
    cut: () => session?.destroy(),
    roles: () => {
      if (!session) return undefined;
      if (!rolesOf.has(session)) rolesOf.set(session, rolesShown(session));
      return rolesOf.get(session);
    },
  };
}

function rolesShown({ socket }: Session): string[] | undefined {
  const peer = socket.getPeerX509Certificate?.();
  const certificate = peer && readCertificate(peer.raw);
  return certificate && isForClientsOnly(certificate) ? rolesIn(certificate) : undefined;
}

/** The machine disappeared while the door was being opened: connections are cut until it closes. */
function noMachine({ host, port }: Door): Endpoint {
  return { host, port, accept: (socket) => socket.destroy() };
}
