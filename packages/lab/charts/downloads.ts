import { type Definition, definitions } from "./definitions.ts";

const kind = (name: string, plural: string, more: Partial<Definition> = {}): Definition => ({
  group: "gateway.networking.k8s.io",
  kind: name,
  plural,
  versions: ["v1"],
  ...more,
});

/** Gateway API's standard channel, as far as the lab's clusters use it. */
const GATEWAY_API: readonly Definition[] = [
  kind("GatewayClass", "gatewayclasses", { scope: "Cluster", short: ["gc"] }),
  kind("Gateway", "gateways", { short: ["gtw"] }),
  kind("HTTPRoute", "httproutes"),
  kind("GRPCRoute", "grpcroutes"),
  kind("ReferenceGrant", "referencegrants", { versions: ["v1beta1"], short: ["refgrant"], status: false }),
];

/** Files of github.com that clusters are given; undefined = not one of them. */
export function downloadOf(path: string): string | undefined {
  const found = /^\/kubernetes-sigs\/gateway-api\/releases\/download\/v1\.\d+\.\d+\/standard-install\.yaml$/.test(path);
  return found ? definitions(GATEWAY_API) : undefined;
}
