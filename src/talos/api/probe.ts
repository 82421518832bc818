import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import type { Line } from "./client.ts";
import { isSignedBy, keyOf, look } from "./look.ts";
import type { TalosNode } from "./talos-node.ts";
import type { Answered } from "./talos-nodes.ts";

/**
 * Queries a node of this cluster, or identifies the machine that answers instead. Only a server with a certificate of the cluster's CA receives the
 * client certificate; a call that cannot be answered now counts as silence.
 */
export async function ask<T>(
  world: World,
  line: Line,
  secrets: () => SecretsBundle,
  question: (node: TalosNode) => Promise<T>,
  signal: AbortSignal,
): Promise<Answered<T>> {
  if (line.isOpen()) {
    const answered = await answers(line, question, signal);
    if (answered.is === "ours") return answered;
  }
  const seen = await look(world, line.address, signal);
  if (seen.is === "silent") return seen;
  const { certificate, asksWho } = seen;
  const known = find(secrets);
  if (known.is === "there" && certificate && isSignedBy(certificate, known.bundle.certs.os.certificate))
    return answers(line, question, signal);
  if (!asksWho && certificate) return { is: "waiting", key: keyOf(certificate) };
  if (known.is === "missing")
    return { is: "stranger", why: `it has a config, but there are no secrets to identify it: ${known.why}` };
  return { is: "stranger", why: "its certificate was not signed by this cluster's Talos CA" };
}

async function answers<T>(line: Line, question: (node: TalosNode) => Promise<T>, signal: AbortSignal): Promise<Answered<T>> {
  try {
    return { is: "ours", answer: await question(await line.node()) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TalosmithError) return { is: "silent", why: error.detail ?? error.message };
    throw error;
  }
}

/** The secrets, if there are any: a new environment has none yet, and a lost file is reported elsewhere. */
function find(secrets: () => SecretsBundle): { is: "there"; bundle: SecretsBundle } | { is: "missing"; why: string } {
  try {
    return { is: "there", bundle: secrets() };
  } catch (error) {
    if (error instanceof TalosmithError) return { is: "missing", why: error.message };
    throw error;
  }
}
