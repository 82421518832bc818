import { plainNode } from "../../../../config/testing/plain-node.ts";
import type { NodeInput } from "../node-input.ts";

const IMAGE = "factory.talos.dev/metal-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.13.9";

/** Parts of an input; the others are empty. */
export interface TestNode extends Partial<Omit<NodeInput, "node" | "network" | "cluster">> {
  readonly node?: Partial<NodeInput["node"]>;
  /** Undefined removes the default. */
  readonly network?: { readonly [key in keyof NodeInput["network"]]?: NodeInput["network"][key] | undefined };
  readonly cluster?: Partial<NodeInput["cluster"]>;
}

export function testNode({ node, network, cluster, ...rest }: TestNode = {}): NodeInput {
  const all = { cidr: "10.10.0.0/24", prefix: 24, gateway: "10.10.0.1", nameservers: [], ...network };
  return {
    node: { ...plainNode({ name: "cp-1", role: "controlplane", ip: "10.10.0.11" }), ...node },
    network: Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined),
    ) as unknown as NodeInput["network"],
    cluster: { contract: "v1.13", talos: "v1.13.9", ...cluster },
    installerImage: IMAGE,
    base: { installDisk: "/dev/sda", installerImage: IMAGE },
    ...rest,
  };
}
