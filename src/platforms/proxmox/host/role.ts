import { type Read, type Step, step } from "../../../engine/step.ts";
import { list, requiredText, words } from "../client/loose.ts";
import { command } from "./quote.ts";
import type { Root } from "./root.ts";

/** A role with the privileges that this config needs. Additional privileges are kept: another environment may need them. */
export function role(root: Root, name: string, privileges: readonly string[]): Step<readonly string[], void> {
  const wanted = [...privileges].sort();
  const subject = `role ${name}`;
  const id = `host/role/${name}`;
  const missing = (held: readonly string[]) => wanted.filter((privilege) => !held.includes(privilege));
  const add = command("pveum", "role", "add", name, "--privs", wanted.join(" "));
  const extend = (held: readonly string[]) =>
    command("pveum", "role", "modify", name, "--append", "1", "--privs", missing(held).join(" "));
  return step({
    id,
    stage: "preflight",
    title: subject,
    observe: async (c) => {
      const held = (await roles(root, c)).get(name);
      return held ? { is: "present", actual: held, owner: "shared" } : { is: "absent" };
    },
    plan: (seen) => {
      if ("later" in seen || seen.is !== "present")
        return [{ id, step: id, verb: "create", subject, fields: [{ path: "runs", from: null, to: add }] }];
      if (missing(seen.actual).length === 0) return [];
      const fields = [
        { path: "privileges", from: seen.actual.join(", "), to: [...seen.actual, ...missing(seen.actual)].join(", ") },
        { path: "runs", from: null, to: extend(seen.actual) },
      ];
      return [{ id, step: id, verb: "update", subject, fields }];
    },
    notes: (seen) => {
      const more = seen.is === "present" ? seen.actual.filter((privilege) => !wanted.includes(privilege)) : [];
      if (more.length === 0) return [];
      return [
        { level: "ok", code: "ROLE_HAS_MORE", message: `${subject} has more than this config needs: ${more.join(", ")}; kept` },
      ];
    },
    apply: async (_, c) => {
      const held = (await roles(root, c)).get(name);
      const line = held ? extend(held) : add;
      await c.mutate({ key: subject, what: line }, async () => {
        await root.entry.run(`make the ${subject}`, line);
        return undefined;
      });
    },
    output: () => {},
  });
}

function roles(root: Root, c: Read): Promise<Map<string, string[]>> {
  return c.shared("host roles", async () => {
    const items = list(await root.entry.json("list the roles", "pveum role list --output-format json"), "the roles");
    return new Map(items.map((item) => [requiredText(item.roleid, "a role's name"), words(item.privs).sort()]));
  });
}
