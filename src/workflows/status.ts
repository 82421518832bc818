import type { Session } from "../engine/context.ts";
import { type Environment, openEnvironment } from "../environment/environment.ts";
import type { Json } from "../lib/json.ts";
import type { Redactor } from "../lib/secret.ts";
import type { Inventory } from "../platforms/platform.ts";
import { openPlatform, takeInventory } from "./prepare.ts";

/** `talosmith status`: every node of the config and every machine of ours, side by side. */
export async function showStatus(session: Session & { redactor: Redactor }, folder: string): Promise<number> {
  const env = openEnvironment(session.world, folder, session.redactor);
  const platform = openPlatform(session, env);
  try {
    const found = await takeInventory(session, env, platform, session.redactor);
    session.bus.emit({
      type: "result",
      result: {
        kind: "table",
        name: "machines",
        columns: [
          { key: "name", title: "node" },
          { key: "role", title: "role" },
          { key: "address", title: "address" },
          { key: "state", title: "state" },
          { key: "where", title: "where" },
        ],
        rows: rowsOf(env, found),
        empty: "no machines",
        footer: found.foreign.map(({ where, why }) => `${where} looks like ours but is ${why}; left alone`),
      },
    });
    return 0;
  } finally {
    platform.close();
  }
}

function rowsOf(env: Environment, found: Inventory): Record<string, Json>[] {
  const wanted = env.config.nodes.map((node) => {
    const owned = found.owned.find((one) => one.name === node.name);
    return {
      name: node.name,
      role: node.role,
      address: node.ip,
      state: owned?.state ?? "missing",
      where: owned?.where ?? "",
      ...owned?.detail,
    };
  });
  const left = found.owned.filter((one) => !env.config.nodes.some((node) => node.name === one.name));
  return [
    ...wanted,
    ...left.map((one) => ({
      name: one.name,
      role: one.role,
      address: one.address,
      state: `${one.state}, not in the config`,
      where: one.where,
      ...one.detail,
    })),
  ];
}
