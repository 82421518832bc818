import { listenAddress } from "../kernel/address-map.ts";
import type { Door, Lab, Service } from "../kernel/kernel.ts";
import { fingerprintOf } from "../ssh/open-ssh-key.ts";
import { converse } from "./conversation.ts";
import type { RescueHosts } from "./hosts.ts";
import { hostKey, userKey } from "./keys.ts";
import { newServer, type RentedServer, type RescueOptions } from "./options.ts";
import { start, stop, up } from "./power.ts";
import { refusals } from "./refusals.ts";
import { ipOf, RESET, type RescueState, rescueState, SERVICE, type Server, serverNamed, UP } from "./state.ts";
import { strikes } from "./strikes.ts";

export type { RentedServer };

/** Not 22: that needs root, and may be taken on all addresses by the machine's own. */
const SSH_PORT = 2222;

const SWITCH_ON = "rescue.switch-on";

/** Rented servers that can be started into a rescue system, and the interface that switches them. */
export function rescueService(options: RescueOptions = {}): Service & RescueHosts {
  return {
    name: SERVICE,
    initial: (lab): RescueState => ({
      servers: (options.servers ?? [{ name: "vps-1", address: 11 }]).map((server) => newServer(lab, server)),
      password: options.password ?? "rescue-lab",
    }),
    transitions: {
      [SWITCH_ON]: (lab) => {
        // They were started long ago.
        for (const server of rescueState(lab).servers) if (server.isOn && server.boot === 0) start(lab, server, 0);
      },
      [UP]: (lab, data) => {
        const { server, boot, runs } = data as { server: string; boot: number; runs: "rescue" | "system" };
        up(lab, server, boot, runs);
      },
      [RESET]: (lab, data) => {
        const { server: name, off } = data as { server: string; off?: true };
        const server = serverNamed(lab, name);
        if (server?.isOn) (off ? stop : start)(lab, server);
      },
    },
    endpoints: async (lab) => {
      // They are on when the lab is; one that was restored has them in its state already.
      lab.turn(() => lab.schedule(SWITCH_ON, 0, {}));
      return [];
    },
    doors: (lab) => rescueState(lab).servers.flatMap((server) => doorOf(lab, server) ?? []),
    behind: (lab, door) => {
      const { host, port } = door;
      const server = rescueState(lab).servers.find((one) => doorOf(lab, one)?.key === door.key);
      return { host, port, accept: (socket) => (server ? converse(lab, server.name, port, socket) : socket.destroy()) };
    },
    strikes,
    refusals,
    publish,
    ...hosts,
  };
}

function doorOf(lab: Lab, server: Server): Door | undefined {
  if (!server.linux) return undefined;
  return {
    host: listenAddress(lab, ipOf(lab, server.address)),
    port: SSH_PORT,
    key: `ssh ${server.name} ${server.runs} ${server.boot}`,
  };
}

function publish(lab: Lab): Record<string, string> {
  const { servers, password } = rescueState(lab);
  const facts = servers.flatMap((server) => {
    const { publicKey } = hostKey(lab, server, "rescue");
    return [
      [`address ${server.name}`, ipOf(lab, server.address)],
      [`hostKey ${server.name}`, fingerprintOf(publicKey)],
      [`hostKeyLine ${server.name}`, publicKey],
    ];
  });
  const names = servers.map(({ name }) => name).join(",");
  return {
    servers: names,
    port: String(SSH_PORT),
    user: "root",
    key: userKey(lab).privateKey,
    password,
    ...Object.fromEntries(facts),
  };
}

function named(lab: Lab, name: string): Server {
  const server = serverNamed(lab, name);
  if (!server) throw new Error(`there is no rented server ${name}`);
  return server;
}

const hosts: RescueHosts = {
  servers: (lab) =>
    rescueState(lab).servers.map((server) => {
      const { name, isOn, runs, arch } = server;
      return { name, address: ipOf(lab, server.address), isOn, runs, rescueNext: server.next !== undefined, arch };
    }),
  rescueNext: (lab, name, login) => {
    const server = named(lab, name);
    if (login) server.next = { keys: [...login.keys], password: login.password };
    else delete server.next;
  },
  reset: (lab, name) => {
    const server = named(lab, name);
    if (server.isOn) start(lab, server);
  },
  powerOn: (lab, name) => {
    const server = named(lab, name);
    if (!server.isOn) start(lab, server);
  },
  powerOff: (lab, name) => stop(lab, named(lab, name)),
};
