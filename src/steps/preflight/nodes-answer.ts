import type { NodeConfig } from "../../config/config.ts";
import { type Check, check, type Finding, type Read } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Inventory } from "../../platforms/platform.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";

/** Those nodes that exist can be reached from here. Whoever is still to be made cannot be asked. */
export function nodesAnswer(env: Environment, talos: TalosNodes, found: Inventory): Check {
  const nodes = env.config.nodes.filter((node) => found.there.has(node.name));
  return check({
    id: "preflight/nodes",
    stage: "preflight",
    title: `${nodes.length} of ${env.config.nodes.length} nodes exist`,
    run: (c) => Promise.all(nodes.map((node) => findingFor(node, talos, c))),
  });
}

async function findingFor({ name, ip }: NodeConfig, talos: TalosNodes, c: Read): Promise<Finding> {
  const answering = await talos.probe(ip, c.signal);
  switch (answering.is) {
    case "ours":
      return { level: "ok", code: "NODE", message: `${name} answers at ${ip}` };
    case "waiting": {
      const { disks } = await talos.waiting(ip, answering.key).hardware(c.signal);
      const writable = disks.filter((disk) => !disk.readonly).map((disk) => disk.path);
      return {
        level: "ok",
        code: "NODE",
        message: `${name} waits for its config at ${ip} (disks ${writable.join(", ") || "unknown"})`,
      };
    }
    case "silent":
      return {
        level: "fail",
        code: "NODE_SILENT",
        message: `${name} is silent at ${ip}: ${answering.why}`,
        hint: `is it switched on, and can this computer reach ${ip} port 50000? If only the Proxmox host can: network.via: ssh`,
      };
    case "stranger":
      return {
        level: "fail",
        code: "NODE_STRANGE",
        message: `the machine at ${ip} is not ${name} of this cluster: ${answering.why}`,
        hint: "check the address, or put back the secrets.yaml it was made with",
      };
  }
}
