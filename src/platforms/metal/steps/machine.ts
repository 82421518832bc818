import type { NodeConfig } from "../../../config/config.ts";
import { type Step, step } from "../../../engine/step.ts";
import type { Environment } from "../../../environment/environment.ts";
import { remoteError } from "../../../lib/errors.ts";
import type { TalosNodes } from "../../../talos/api/talos-nodes.ts";
import type { MachineFacts } from "../../platform.ts";

export const machineStepId = (node: string) => `machine/${node}`;

/** A machine that should be there already. Nothing can be done about one that is not, except to say it before anything is begun. */
export function machine(env: Environment, node: NodeConfig, talos: TalosNodes): Step<MachineFacts, MachineFacts> {
  return step({
    id: machineStepId(node.name),
    stage: "provision",
    title: `machine ${node.name}`,
    observe: async (c) => {
      const answering = await talos.probe(node.ip, c.signal);
      if (answering.is !== "silent")
        return { is: "present", actual: { address: node.ip, ...(node.mac && { mac: node.mac }) }, owner: "us" };
      return { is: "unreadable", why: silent(env, node, answering.why) };
    },
    plan: () => [],
    apply: async () => {},
    output: (facts) => facts,
  });
}

function silent(env: Environment, node: NodeConfig, why: string) {
  const where = env.where(["nodes", node.name, "ip"]);
  return remoteError("MACHINE_SILENT", {
    message: `Nobody answers the Talos API at ${node.ip}, where ${node.name} should be`,
    detail: why,
    hint: `boot it from a Talos image (its console shows the address it got), or correct nodes[].ip of ${node.name}; a worker that has its config already answers only while a control plane runs`,
    ...(where && { where }),
  });
}
