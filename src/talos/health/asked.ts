import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { Finding } from "../../engine/step.ts";
import type { TalosNode } from "../api/talos-node.ts";
import type { TalosNodes } from "../api/talos-nodes.ts";

/** The facts about a node that are needed to query it and to judge its response. */
export interface AskedNode {
  name: string;
  ip: string;
  role: "controlplane" | "worker";
}

/** The response of one node. */
export type Asked<T> = { node: AskedNode } & (
  | { is: "said"; answer: T }
  /** Its Talos does not support the call, so there is nothing to judge. */
  | { is: "unsupported" }
  /** The node did not answer, which counts as a problem. */
  | { is: "unseen"; why: Finding }
);

/** Makes the same call to several nodes at once; a silent node does not affect the others. */
export function askEach<T>(
  talos: TalosNodes,
  nodes: readonly AskedNode[],
  question: (api: TalosNode) => Promise<T>,
  signal: AbortSignal,
): Promise<Asked<T>[]> {
  return Promise.all(
    nodes.map(async (node): Promise<Asked<T>> => {
      try {
        return { node, is: "said", answer: await question(talos.node(node.ip)) };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof TalosmithError) || error.kind === "internal") throw error;
        if (error.code === "TALOS_UNSUPPORTED") return { node, is: "unsupported" };
        const { code, message, detail, hint } = error;
        const why = { level: "fail", code, message: `${node.name}: ${detail ?? message}`, ...(hint && { hint }) } as const;
        return { node, is: "unseen", why };
      }
    }),
  );
}

/** The problems in all responses; empty when there are none. */
export function judged<T>(asked: readonly Asked<T>[], judge: (answer: T, node: AskedNode) => Finding[]): Finding[] {
  return asked.flatMap((one) => {
    if (one.is === "unsupported") return [];
    return one.is === "unseen" ? [one.why] : judge(one.answer, one.node);
  });
}
