import { userError } from "@talosmith/lib/errors.ts";
import { type Step, step } from "../../../engine/step.ts";
import { flag, list } from "../client/loose.ts";
import { command } from "./quote.ts";
import type { Root } from "./root.ts";

interface Account {
  enabled: boolean;
}

/** The user that owns the token. It has no password, so no login as this user is possible. */
export function account(root: Root, user: string): Step<Account, void> {
  const subject = `user ${user}`;
  const id = `host/user/${user}`;
  const line = command("pveum", "user", "add", user, "--comment", "talosmith: builds clusters, through its tokens only");
  return step<Account, void>({
    id,
    stage: "preflight",
    title: subject,
    observe: async (c) => {
      const items = await c.shared("host users", async () =>
        list(await root.entry.json("list the users", "pveum user list --output-format json"), "the users"),
      );
      const found = items.find((item) => item.userid === user);
      return found ? { is: "present", actual: { enabled: flag(found.enable ?? 1) }, owner: "shared" } : { is: "absent" };
    },
    plan: (seen) => {
      if (!("later" in seen) && seen.is === "present") return [];
      // A user of another realm has a password that is not known here.
      if (!user.endsWith("@pve")) throw noSuchUser(user);
      return [{ id, step: id, verb: "create", subject, fields: [{ path: "runs", from: null, to: line }] }];
    },
    notes: (seen) =>
      seen.is === "present" && !seen.actual.enabled
        ? [
            {
              level: "warn",
              code: "USER_DISABLED",
              message: `${subject} is disabled: neither it nor its tokens can log in`,
              hint: `as root:  ${command("pveum", "user", "modify", user, "--enable", "1")}`,
            },
          ]
        : [],
    apply: async (_, c) => {
      await c.mutate({ key: subject, what: line }, async () => {
        await root.entry.run(`make the ${subject}`, line);
        return undefined;
      });
    },
    output: () => {},
  });
}

function noSuchUser(user: string) {
  return userError("NO_SUCH_USER", {
    message: `There is no user ${user} in Proxmox`,
    hint: "create it there first, or remove the login from the config: host prepare then creates talosmith@pve with a token",
  });
}
