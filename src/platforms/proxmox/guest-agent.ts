import type { Read } from "../../engine/step.ts";
import { memberOf, textOf } from "../../talos/api/spec.ts";
import { schematicOf } from "../../talos/image/image.ts";
import { differences } from "./compare.ts";
import type { Machine, MachineSpec } from "./machine.ts";
import type { Site } from "./site.ts";

const EXTENSIONS = { namespace: "runtime", type: "ExtensionStatuses.runtime.talos.dev" };

/**
 * The spec of an existing machine. Whether it has the guest agent depends on the image it was created from, and a different image is an upgrade: until
 * then the option is kept. Talos reports its schematic as an extension of that name; it is queried only when the config differs from the VM.
 */
export async function livingSpec(site: Site, c: Read, spec: MachineSpec, machine: Machine): Promise<MachineSpec> {
  const { node } = spec;
  const agent = differences(spec, machine).find(({ field }) => field.path === "guest agent");
  // An explicit setting does not depend on the image.
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
