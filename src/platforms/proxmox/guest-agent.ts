import type { Read } from "../../engine/step.ts";
import { memberOf, textOf } from "../../talos/api/spec.ts";
import { schematicOf } from "../../talos/image/image.ts";
import { differences } from "./compare.ts";
import type { Machine, MachineSpec } from "./machine.ts";
import type { Site } from "./site.ts";

const EXTENSIONS = { namespace: "runtime", type: "ExtensionStatuses.runtime.talos.dev" };

/**
 * What a living machine should be. Whether it has the guest agent was decided by the image it was made from, and another image is an upgrade: until then
 * the option stays as it is. Talos tells its schematic as an extension of that name; it is asked only when the config says otherwise than the VM.
 */
export async function livingSpec(site: Site, c: Read, spec: MachineSpec, machine: Machine): Promise<MachineSpec> {
  const { node } = spec;
  const agent = differences(spec, machine).find(({ field }) => field.path === "guest agent");
  // What the config says in so many words is no conclusion from the image.
  if (!agent || !machine.running || node.agent !== undefined) return spec;
  const answering = await site.talos.ask(node.ip, (api) => api.resources(EXTENSIONS, c.signal), c.signal);
  if (answering.is !== "ours") return spec;
  const extensions = answering.answer.map((one) => memberOf(one.spec, "metadata"));
  const runs = textOf(
    extensions.find((one) => textOf(one, "name") === "schematic"),
    "version",
  );
  const isWanted = runs === undefined || runs === schematicOf(node.image);
  return isWanted ? spec : { ...spec, guestAgent: agent.field.from === true };
}
