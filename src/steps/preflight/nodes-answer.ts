import type { NodeConfig } from "../../config/config.ts";
import { type Check, check, type Finding, type Read } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import { paths, remainsOf } from "../../environment/folder.ts";
import type { Inventory } from "../../platforms/platform.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { waysOut } from "../../talos/secrets/ways-out.ts";

/** Checks that existing nodes can be reached from this computer. */
export function nodesAnswer(env: Environment, talos: TalosNodes, found: Inventory): Check {
  const nodes = env.config.nodes.filter((node) => found.there.has(node.name));
  return check({
    id: "preflight/nodes",
    stage: "preflight",
    title: `${nodes.length} of ${env.config.nodes.length} nodes exist`,
    run: (c) => Promise.all(nodes.map((node) => findingFor(env, node, talos, c))),
  });
}

async function findingFor(env: Environment, { name, ip }: NodeConfig, talos: TalosNodes, c: Read): Promise<Finding> {
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
        message: `${name} does not answer at ${ip}: ${answering.why}`,
        hint: `check that it is switched on and that this computer can reach ${ip} port 50000. If only another computer can reach it: network.via: ssh`,
      };
    case "stranger": {
      // A node with a config was probably created from this environment, whose secrets.yaml is lost.
      if (c.world.files.stat(paths.secrets(env.folder)) === undefined)
        return {
          level: "fail",
          code: "SECRETS_MISSING",
          message: `there is no secrets.yaml in ${env.shown}, but ${name} at ${ip} belongs to a cluster already`,
          hint: waysOut(c.world, remainsOf(env)),
        };
      return {
        level: "fail",
        code: "NODE_STRANGE",
        message: `the machine at ${ip} is not ${name} of this cluster: ${answering.why}`,
        hint: "check the address, or restore the secrets.yaml it was created with",
      };
    }
  }
}
