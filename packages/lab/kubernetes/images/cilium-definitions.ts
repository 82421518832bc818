import { type Definition, definition } from "../../charts/definitions.ts";
import type { Loose } from "../objects.ts";

const BOTH = ["v2alpha1", "v2"] as const;
const ref = { group: "string", kind: "string", name: "string!" };
const selector = { matchLabels: { "*": "string" }, matchExpressions: ["any"] } as const;

const kind = (name: string, plural: string, more: Partial<Definition> = {}): Definition => ({
  group: "cilium.io",
  kind: name,
  plural,
  scope: "Cluster",
  versions: BOTH,
  ...more,
});

/** The definitions that Cilium's operator registers at its start; those that users write have their fields. */
const DEFINITIONS: readonly Definition[] = [
  kind("CiliumLoadBalancerIPPool", "ciliumloadbalancerippools", {
    short: ["ippools", "ippool", "lbippool", "lbippools"],
    spec: {
      blocks: [{ cidr: "string", start: "string", stop: "string" }],
      serviceSelector: selector,
      allowFirstLastIPs: "string",
      disabled: "boolean",
    },
  }),
  kind("CiliumL2AnnouncementPolicy", "ciliuml2announcementpolicies", {
    versions: ["v2alpha1"],
    short: ["l2announcement"],
    spec: {
      externalIPs: "boolean",
      loadBalancerIPs: "boolean",
      interfaces: ["string"],
      nodeSelector: selector,
      serviceSelector: selector,
    },
  }),
  kind("CiliumBGPClusterConfig", "ciliumbgpclusterconfigs", {
    short: ["cbgpcluster"],
    spec: {
      nodeSelector: selector,
      bgpInstances: [
        {
          name: "string!",
          localASN: "integer",
          localPort: "integer",
          peers: [
            {
              name: "string!",
              peerASN: "integer",
              peerAddress: "string",
              autoDiscovery: "any",
              interface: "string",
              peerConfigRef: ref,
            },
          ],
          vrfs: ["any"],
        },
      ],
    },
  }),
  kind("CiliumBGPPeerConfig", "ciliumbgppeerconfigs", {
    short: ["cbgppeer"],
    spec: {
      authSecretRef: "string",
      ebgpMultihop: "integer",
      families: [{ afi: "string!", safi: "string!", advertisements: selector }],
      gracefulRestart: "any",
      timers: "any",
      transport: "any",
    },
  }),
  kind("CiliumBGPAdvertisement", "ciliumbgpadvertisements", {
    short: ["cbgpadvert"],
    spec: {
      advertisements: [
        {
          advertisementType: "string!",
          attributes: "any",
          interface: "any",
          selector,
          service: { addresses: ["string"], aggregationLengthIPv4: "integer", aggregationLengthIPv6: "integer" },
        },
      ],
    },
  }),
  kind("CiliumNetworkPolicy", "ciliumnetworkpolicies", { versions: ["v2"], scope: "Namespaced", short: ["cnp", "ciliumnp"] }),
  kind("CiliumNode", "ciliumnodes", { versions: ["v2"], short: ["cn", "ciliumn"] }),
];

export function ciliumDefinitions(): Loose[] {
  return DEFINITIONS.map(definition);
}
