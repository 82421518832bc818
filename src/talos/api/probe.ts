import { TalosmithError } from "../../lib/errors.ts";
import type { World } from "../../lib/world/world.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import type { Caller } from "./caller.ts";
import { configuredNode } from "./configured-node.ts";
import { isSignedBy, keyOf, look } from "./look.ts";
import type { Answering } from "./talos-nodes.ts";

/** Tells the four apart. Only who shows a certificate of our own CA gets to see ours. */
export async function probe(world: World, caller: Caller, secrets: () => SecretsBundle, signal: AbortSignal): Promise<Answering> {
  if (caller.channel.isOpen && (await answers(caller, signal)) === undefined) return { is: "ours" };
  const seen = await look(world, caller.address, signal);
  if (seen.is === "silent") return seen;
  const { certificate, asksWho } = seen;
  const known = ask(secrets);
  if (known.is === "there" && certificate && isSignedBy(certificate, known.bundle.certs.os.certificate)) {
    const problem = await answers(caller, signal);
    return problem === undefined ? { is: "ours" } : { is: "silent", why: problem };
  }
  if (!asksWho && certificate) return { is: "waiting", key: keyOf(certificate) };
  if (known.is === "missing")
    return { is: "stranger", why: `it has a config, and we have no secrets to know it by: ${known.why}` };
  return { is: "stranger", why: "its certificate was not signed by this cluster's Talos CA" };
}

/** undefined when it does. */
async function answers(caller: Caller, signal: AbortSignal): Promise<string | undefined> {
  try {
    await configuredNode(caller).version(signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TalosmithError) return error.detail ?? error.message;
    throw error;
  }
}

/** A new environment has no secrets yet, and a lost file is for somebody else to complain about. */
function ask(secrets: () => SecretsBundle): { is: "there"; bundle: SecretsBundle } | { is: "missing"; why: string } {
  try {
    return { is: "there", bundle: secrets() };
  } catch (error) {
    if (error instanceof TalosmithError) return { is: "missing", why: error.message };
    throw error;
  }
}
