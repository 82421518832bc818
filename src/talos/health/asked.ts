import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { Finding } from "../../engine/step.ts";
import type { TalosNode } from "../api/talos-node.ts";
import type { TalosNodes } from "../api/talos-nodes.ts";

/** A node, as much of it as is needed to ask it and to judge what it says. */
export interface AskedNode {
  name: string;
  ip: string;
  role: "controlplane" | "worker";
}

/** What one node said. */
export type Asked<T> = { node: AskedNode } & (
  | { is: "said"; answer: T }
  /** Its Talos does not know the question; there is nothing to judge then. */
  | { is: "unsupported" }
  /** Not seen is not well. */
  | { is: "unseen"; why: Finding }
);

/** The same question to several nodes at once; one that does not answer does not keep the others from being heard. */
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

/** What is wrong, by what each of them said; nothing when all is well. */
export function judged<T>(asked: readonly Asked<T>[], judge: (answer: T, node: AskedNode) => Finding[]): Finding[] {
  return asked.flatMap((one) => {
    if (one.is === "unsupported") return [];
    return one.is === "unseen" ? [one.why] : judge(one.answer, one.node);
  });
}
