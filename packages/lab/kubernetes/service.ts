import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Json } from "@talosmith/lib/json.ts";
import { listenAddress } from "../kernel/address-map.ts";
import type { Door, Endpoint, Lab, Service } from "../kernel/kernel.ts";
import { type KubernetesLab, NODES_CHANGED, type NodeView } from "../talos/view.ts";
import { serverCertificate } from "./certificate.ts";
import { clusterKey, nodesOf, type ServerView, serversOf } from "./cluster.ts";
import { look, machinesChanged } from "./life/look.ts";
import { refusals } from "./refusals.ts";
import { KUBERNETES, type KubernetesState, kubernetesState } from "./state.ts";
import { LOOK } from "./store/look.ts";
import { storedKeys } from "./store/registry.ts";
import { strikes } from "./strikes.ts";
import { answerApi } from "./transport/answer.ts";
import { upgradeApi } from "./transport/upgrade.ts";

const API_PORT = 6443;

/** Kubernetes on the lab's Talos machines: a cluster exists as soon as its etcd is bootstrapped. */
export function kubernetesService(): Service & KubernetesLab {
  return {
    name: KUBERNETES,
    initial: (): KubernetesState => ({ clusters: {}, serverKey: "" }),
    transitions: {
      [NODES_CHANGED]: machinesChanged,
      [LOOK]: (lab, data: Json) => look(lab, (data as { cluster: string }).cluster),
    },
    endpoints: async (lab) => {
      // Every container and every watch listens for the lab's end: many listeners are not a leak.
      setMaxListeners(0, lab.closing);
      // One key for every API server of the lab, created here because opening a door must not wait.
      const state = kubernetesState(lab);
      if (state.serverKey === "") {
        const { privateKey } = await lab.world.keys.p256();
        state.serverKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      }
      return [];
    },
    doors,
    behind,
    refusals,
    strikes,
    stored: storedKeys,
  };
}

interface Opening extends Door {
  server: ServerView;
}

function openings(lab: Lab, nodes: readonly NodeView[], serverKey: string): Opening[] {
  const found = new Map<string, Opening>();
  for (const server of serversOf(nodes)) {
    const { vip } = server.controlPlane;
    for (const address of [server.address, ...(vip === undefined ? [] : [vip])]) {
      const host = listenAddress(lab, address);
      // Of two machines with the same address the first one wins, as in a network.
      if (!found.has(host)) found.set(host, { host, port: API_PORT, key: keyOf(server, serverKey), server });
    }
  }
  return [...found.values()];
}

/** An API server restarts with its machine, and when its certificates change. A virtual address only changes the served certificate. */
function keyOf(server: ServerView, serverKey: string): string {
  const { ca, endpoint, certSans } = server.controlPlane;
  const made = createHash("sha256").update(JSON.stringify([ca.certificate, endpoint, certSans, serverKey]));
  return `${clusterKey(server)} ${server.name} ${server.bootId} ${made.digest("hex").slice(0, 16)}`;
}

const known = new WeakMap<readonly NodeView[], { serverKey: string; doors: readonly Door[] }>();

/** Returns an identical list as long as the machines are unchanged. */
function doors(lab: Lab): readonly Door[] {
  const nodes = nodesOf(lab);
  const { serverKey } = kubernetesState(lab);
  const last = known.get(nodes);
  if (last?.serverKey === serverKey) return last.doors;
  const doors = openings(lab, nodes, serverKey).map(({ host, port, key }) => ({ host, port, key }));
  known.set(nodes, { serverKey, doors });
  return doors;
}

function behind(lab: Lab, door: Door): Endpoint {
  const { serverKey } = kubernetesState(lab);
  const opening = () => openings(lab, nodesOf(lab), serverKey).find(({ host }) => host === door.host);
  const server = opening()?.server;
  // The machine disappeared while the door was being opened: the door closes right after.
  if (!server) return { host: door.host, port: door.port, accept: (socket) => socket.destroy() };
  const vipsOf = ({ controlPlane: { vip } }: ServerView) => (vip === undefined ? [] : [vip]);
  let shown = { vips: vipsOf(server), certificate: serverCertificate(lab, server, vipsOf(server), serverKey) };
  // A new connection was admitted in a turn just before: the state has not changed since.
  const current = () => {
    const now = opening()?.server ?? server;
    const vips = vipsOf(now);
    if (vips.join() !== shown.vips.join()) shown = { vips, certificate: serverCertificate(lab, now, vips, serverKey) };
    return { certificate: shown.certificate, key: serverKey };
  };
  return {
    host: door.host,
    port: door.port,
    tls: {
      certificate: shown.certificate,
      key: serverKey,
      current,
      clients: { ca: server.controlPlane.ca.certificate, certificate: "asked" },
    },
    answer: answerApi(lab, clusterKey(server)),
    upgrade: upgradeApi(lab, clusterKey(server)),
  };
}
