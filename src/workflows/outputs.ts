import type { Session } from "../engine/context.ts";
import { openEnvironment } from "../environment/environment.ts";
import { outputsOf } from "../environment/outputs.ts";
import type { Redactor } from "../lib/secret.ts";
import { openAccess } from "./access.ts";
import { takeInventory } from "./prepare.ts";

/** `talosmith outputs`: the output contract, from what is there now. */
export async function showOutputs(session: Session & { redactor: Redactor }, folder: string): Promise<number> {
  const env = openEnvironment(session.world, folder, session.redactor);
  const access = openAccess(session, env);
  try {
    const { owned } = await takeInventory(session, env, access);
    const outputs = outputsOf(env, new Map(owned.flatMap((one) => (one.id === undefined ? [] : [[one.name, one.id]]))));
    const facts = Object.entries(outputs).map(([key, value]) => ({ key, label: key, value }));
    session.bus.emit({ type: "result", result: { kind: "facts", name: "outputs", title: "", facts, next: [] } });
    return 0;
  } finally {
    access.close();
  }
}
