import type { Lab, Service } from "../../kernel/kernel.ts";
import type { RescueHosts, RescueServer } from "../../rescue/hosts.ts";

interface HostsState {
  servers: RescueServer[];
  /** The operations on the servers, in order. */
  done: string[];
  /** The passwords of their rescue systems. */
  passwords: string[];
}

/** Servers that record operations on them, and listen on port 2222. */
export function fakeHosts(servers: readonly Partial<RescueServer>[]): Service & RescueHosts {
  const state = (lab: Lab) => lab.state<HostsState>("rescue");
  const find = (lab: Lab, name: string) => state(lab).servers.find((one) => one.name === name) as RescueServer;
  const start = (lab: Lab, name: string, how: string) => {
    const server = find(lab, name);
    state(lab).done.push(`${how} ${name}`);
    Object.assign(server, { isOn: true, runs: server.rescueNext ? "rescue" : "system", rescueNext: false });
  };
  return {
    name: "rescue",
    initial: (lab): HostsState => ({
      servers: servers.map((server, at) => ({
        name: `vps-${at + 1}`,
        address: lab.address.host(11 + at),
        isOn: true,
        runs: "system",
        rescueNext: false,
        arch: "amd64",
        ...server,
      })),
      done: [],
      passwords: [],
    }),
    endpoints: async () => [],
    doors: (lab) => [{ host: lab.address.host(11), port: 2222, key: "ssh" }],
    behind: (_, { host, port }) => ({ host, port, accept: (socket) => void socket.on("error", () => {}).end("SSH") }),
    servers: (lab) => state(lab).servers,
    rescueNext: (lab, name, login) => {
      state(lab).done.push(login ? `rescue next ${name}: ${login.keys.join(", ")}` : `no rescue ${name}`);
      if (login) state(lab).passwords.push(login.password);
      find(lab, name).rescueNext = login !== undefined;
    },
    reset: (lab, name) => start(lab, name, "reset"),
    powerOn: (lab, name) => start(lab, name, "power on"),
    powerOff: (lab, name) => {
      state(lab).done.push(`power off ${name}`);
      Object.assign(find(lab, name), { isOn: false, runs: "nothing" });
    },
  };
}

export function doneTo(lab: Lab): string[] {
  return lab.state<HostsState>("rescue").done;
}

export function passwordsOf(lab: Lab): string[] {
  return lab.state<HostsState>("rescue").passwords;
}
