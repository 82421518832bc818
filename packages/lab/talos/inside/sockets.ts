import { type Called, configOf } from "../api/caller.ts";
import { hostDns } from "./host-dns.ts";
import { type Process, processesOf } from "./processes.ts";

/** A socket in the host network. */
export interface Socket {
  protocol: "tcp" | "tcp6" | "udp";
  local: string;
  localPort: number;
  remote: string;
  remotePort: number;
  state: "LISTEN" | "ESTABLISHED" | "CLOSE";
  program: Process;
}

type Listens = readonly [protocol: Socket["protocol"], address: "any" | "local", port: number];

/** The port on which machined serves static pods to the kubelet. */
export const STATIC_POD_PORT = 43_185;

/** Listening sockets by process (docs/facts/talos.md#ports). */
const LISTENERS: Record<string, readonly Listens[]> = {
  // KubePrism; the resolver listens on further addresses.
  init: [
    ["tcp", "local", 7445],
    ["tcp", "local", STATIC_POD_PORT],
  ],
  apid: [["tcp6", "any", 50_000]],
  trustd: [["tcp6", "any", 50_001]],
  etcd: [
    ["tcp6", "any", 2379],
    ["tcp6", "any", 2380],
  ],
  kubelet: [
    ["tcp6", "any", 10_250],
    ["tcp", "local", 10_248],
  ],
  "kube-apiserver": [["tcp6", "any", 6443]],
  "kube-controller": [["tcp", "local", 10_257]],
  "kube-scheduler": [["tcp", "local", 10_259]],
};

export function socketsOf(called: Called): Socket[] {
  const { addresses } = hostDns(configOf(called));
  const names = addresses.flatMap((address) => (["tcp", "udp"] as const).map((protocol) => [protocol, address, 53] as const));
  return processesOf(called).flatMap((program) => {
    const own = program.pid === 1 ? [...(LISTENERS.init ?? []), ...names] : LISTENERS[program.command];
    const listening = (program.pid === 1 || program.command !== "init" ? (own ?? []) : []).map(
      ([protocol, address, localPort]): Socket => ({
        protocol,
        local: address === "any" ? "::" : address === "local" ? "127.0.0.1" : address,
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

/** The kubelet's watch on the API server, through KubePrism. */
function toKubernetes(program: Process): Socket {
  const localPort = 32_768 + (program.pid % 28_000);
  return { protocol: "tcp", local: "127.0.0.1", localPort, remote: "127.0.0.1", remotePort: 7445, state: "ESTABLISHED", program };
}
