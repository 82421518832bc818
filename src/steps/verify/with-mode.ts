import type { Asked } from "../../talos/health/asked.ts";
import type { Looks } from "./looks.ts";

/** Responses of nodes, each with the node's mode: "container", "metal". */
export async function withMode<T>(see: Looks, asking: Promise<Asked<T>[]>): Promise<Asked<{ said: T; mode: string }>[]> {
  const [versions, asked] = await Promise.all([see.versions(), asking]);
  const modes = new Map(versions.map((one) => [one.node.name, one.is === "said" ? one.answer.mode : ""]));
  return asked.map((one) =>
    one.is === "said" ? { ...one, answer: { said: one.answer, mode: modes.get(one.node.name) ?? "" } } : one,
  );
}
