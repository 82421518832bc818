import type { Called } from "../api/caller.ts";
import { primaryAddress } from "../machine/network.ts";
import { type Process, processesOf } from "./processes.ts";

/** A socket of the machine's own network. */
export interface Socket {
  protocol: "tcp" | "tcp6" | "udp";
  local: string;
  localPort: number;
  remote: string;
  remotePort: number;
  state: "LISTEN" | "ESTABLISHED" | "CLOSE";
  program: Process;
}

type Listens = readonly [protocol: Socket["protocol"], address: "any" | "own" | "local" | "dns", port: number];

/** Who listens where (talos.md, network connectivity). */
const LISTENERS: Record<string, readonly Listens[]> = {
  // KubePrism, and the names that the machine and its pods look up.
  init: [
    ["tcp", "local", 7445],
    ["udp", "dns", 53],
    ["tcp", "dns", 53],
  ],
  apid: [["tcp6", "any", 50_000]],
  trustd: [["tcp6", "any", 50_001]],
  etcd: [
    ["tcp", "local", 2379],
    ["tcp", "own", 2379],
    ["tcp", "own", 2380],
  ],
  kubelet: [
    ["tcp6", "any", 10_250],
    ["tcp", "local", 10_248],
  ],
  "kube-apiserver": [["tcp6", "any", 6443]],
  "kube-controller": [["tcp", "local", 10_257]],
  "kube-scheduler": [["tcp", "local", 10_259]],
};

const ADDRESSES = { local: "127.0.0.1", dns: "127.0.0.53" };

export function socketsOf(called: Called): Socket[] {
  const own = primaryAddress(called.machine) ?? "127.0.0.1";
  return processesOf(called).flatMap((program) => {
    const listening = (program.pid === 1 || program.command !== "init" ? (LISTENERS[program.command] ?? []) : []).map(
      ([protocol, address, localPort]): Socket => ({
        protocol,
        local: address === "any" ? "::" : address === "own" ? own : ADDRESSES[address],
        localPort,
        remote: protocol === "tcp6" ? "::" : "0.0.0.0",
        remotePort: 0,
        state: protocol === "udp" ? "CLOSE" : "LISTEN",
        program,
      }),
    );
    return program.command === "kubelet" ? [...listening, toKubernetes(program)] : listening;
  });
}

/** The kubelet's watch on the API server goes through KubePrism. */
function toKubernetes(program: Process): Socket {
  const localPort = 32_768 + (program.pid % 28_000);
  return { protocol: "tcp", local: "127.0.0.1", localPort, remote: "127.0.0.1", remotePort: 7445, state: "ESTABLISHED", program };
}
