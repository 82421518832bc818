import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Json } from "../../lib/json.ts";
import { listenAddress } from "../kernel/address-map.ts";
import type { Door, Endpoint, Lab, Service } from "../kernel/kernel.ts";
import { NODES_CHANGED } from "../talos/view.ts";
import { serverCertificate } from "./certificate.ts";
import { clusterKey, nodesOf, type ServerView, serversOf } from "./cluster.ts";
import { look, machinesChanged } from "./life/look.ts";
import { KUBERNETES, type KubernetesState, kubernetesState } from "./state.ts";
import { LOOK } from "./store/look.ts";
import { answerApi } from "./transport/answer.ts";

const API_PORT = 6443;

/** The Kubernetes that runs on the lab's Talos machines: a cluster is born when a control plane's etcd is. */
export function kubernetesService(): Service {
  return {
    name: KUBERNETES,
    initial: (): KubernetesState => ({ clusters: {}, serverKey: "" }),
    transitions: {
      [NODES_CHANGED]: machinesChanged,
      [LOOK]: (lab, data: Json) => look(lab, (data as { cluster: string }).cluster),
    },
    endpoints: async (lab) => {
      // Every container and every watch ends with the lab, and says so to its signal: no leak, however many there are.
      setMaxListeners(0, lab.closing);
      // One key for every API server of the lab, made here because nothing may wait when a door opens.
      const state = kubernetesState(lab);
      if (state.serverKey === "") {
        const { privateKey } = await lab.world.keys.p256();
        state.serverKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      }
      return [];
    },
    doors,
    behind,
  };
}

interface Opening extends Door {
  server: ServerView;
}

function openings(lab: Lab): Opening[] {
  const found = new Map<string, Opening>();
  for (const server of serversOf(nodesOf(lab))) {
    for (const address of [server.address, ...(server.controlPlane.vip === undefined ? [] : [server.controlPlane.vip])]) {
      const host = listenAddress(lab, address);
      // Of two that claim an address the first one has it, as on a wire.
      if (!found.has(host)) found.set(host, { host, port: API_PORT, key: keyOf(lab, server), server });
    }
  }
  return [...found.values()];
}

/** An API server is started anew when its machine is, and when its certificates are others. */
function keyOf(lab: Lab, server: ServerView): string {
  const { ca, endpoint, certSans, vip = "" } = server.controlPlane;
  const made = createHash("sha256").update(
    JSON.stringify([ca.certificate, endpoint, certSans, vip, kubernetesState(lab).serverKey]),
  );
  return `${clusterKey(server)} ${server.name} ${server.bootId} ${made.digest("hex").slice(0, 16)}`;
}

function doors(lab: Lab): Door[] {
  return openings(lab).map(({ host, port, key }) => ({ host, port, key }));
}

function behind(lab: Lab, door: Door): Endpoint {
  const opening = openings(lab).find(({ host }) => host === door.host);
  // The machine went away while the door was being opened: it closes right after.
  if (!opening) return { host: door.host, port: door.port, accept: (socket) => socket.destroy() };
  const { server } = opening;
  const { serverKey } = kubernetesState(lab);
  const vips = server.controlPlane.vip === undefined ? [] : [server.controlPlane.vip];
  return {
    host: door.host,
    port: door.port,
    tls: {
      certificate: serverCertificate(lab, server, vips, serverKey),
      key: serverKey,
      clients: { ca: server.controlPlane.ca.certificate, certificate: "asked" },
    },
    answer: answerApi(lab, clusterKey(server)),
  };
}
