import { type Kinds, since } from "./notation.ts";

/** Settings of cluster discovery. */
export const CLUSTER: Kinds = {
  DiscoveryIdentityConfig: since("1.14", { clusterID: "text", clusterSecret: "text" }),
  DiscoveryServiceConfig: since("1.14", { name: "text", endpoint: "url" }),
};
