import { type Client, createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { ClusterService } from "@talosmith/wire/gen/cluster/cluster_pb.js";
import { State } from "@talosmith/wire/gen/cosi/resource/state_pb.js";
import { InspectService } from "@talosmith/wire/gen/inspect/inspect_pb.js";
import { ImageService } from "@talosmith/wire/gen/machine/image_pb.js";
import { MachineService } from "@talosmith/wire/gen/machine/machine_pb.js";
import { StorageService } from "@talosmith/wire/gen/storage/storage_pb.js";
import { TimeService } from "@talosmith/wire/gen/time/time_pb.js";
import type { ClientIdentity } from "./configs.ts";

/** One connection to a machine's Talos API. */
export interface TalosClient {
  machine: Client<typeof MachineService>;
  images: Client<typeof ImageService>;
  inspect: Client<typeof InspectService>;
  storage: Client<typeof StorageService>;
  state: Client<typeof State>;
  cluster: Client<typeof ClusterService>;
  time: Client<typeof TimeService>;
  close(): void;
}

/** Without an identity it is an anonymous client, for maintenance mode. `name` is the expected name in the certificate when it is not the host. */
export function talosClient(host: string, identity?: ClientIdentity, name = host): TalosClient {
  const url = `https://${host}:50000`;
  const options = identity
    ? {
        ca: identity.ca,
        cert: identity.certificate,
        key: identity.key,
        ...(name !== host && { checkServerIdentity: () => undefined }),
      }
    : { rejectUnauthorized: false };
  const sessions = new Http2SessionManager(url, {}, options);
  const transport = createGrpcTransport({ baseUrl: url, sessionManager: sessions, defaultTimeoutMs: 120_000 });
  return {
    machine: createClient(MachineService, transport),
    images: createClient(ImageService, transport),
    inspect: createClient(InspectService, transport),
    storage: createClient(StorageService, transport),
    state: createClient(State, transport),
    cluster: createClient(ClusterService, transport),
    time: createClient(TimeService, transport),
    close: () => sessions.abort(),
  };
}
