import { writeDurably } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { type Read, type Ref, type Step, step } from "../../../engine/step.ts";
import { list, object, requiredText, text } from "../client/loose.ts";
import type { ProxmoxEnvironment } from "../proxmox-environment.ts";
import { type Login, type TokenPlace, tokenPlace } from "./login.ts";
import { command, quote } from "./quote.ts";
import { printedJson, type Root } from "./root.ts";

interface Token {
  there: boolean;
  /** Whether the config, or the file that it will refer to, has the same secret as Proxmox. */
  here: "yes" | "no" | "another";
  place: TokenPlace;
}

/** Proxmox stores the secrets of tokens here, readable by root, so a secret is not lost with a lost response. */
const SECRETS = "/etc/pve/priv/token.cfg";

/** The API token, and its secret in a file of the environment. The secret goes from the host's standard output to that file and nowhere else. */
export function token(
  root: Root,
  env: ProxmoxEnvironment,
  login: Login & { token: string },
  redactor: Redactor,
  needs: readonly Ref<unknown>[],
): Step<Token, void> {
  const subject = `token ${login.identity}`;
  const id = `host/token/${login.identity}`;
  const comment = `talosmith: cluster ${env.config.cluster.name}`;
  const add = command(
    "pveum",
    "user",
    "token",
    "add",
    login.user,
    login.token,
    "--privsep",
    "1",
    "--comment",
    comment,
    "--output-format",
    "json",
  );
  const placeIn = (c: Read): TokenPlace => tokenPlace(env, (path) => c.world.files.stat(path) !== undefined);
  const look = async (c: Read): Promise<Token & { secret: string | undefined }> => {
    const place = placeIn(c);
    const there = await isThere(root, login);
    const secret = there ? await secretOf(root, login, redactor) : undefined;
    const local = login.secret === "" ? readSecret(c, place, login, redactor) : login.secret;
    // When root cannot find the secret, the local one is assumed to be right; `doctor` shows whether it works.
    const same = secret === undefined ? there && local !== undefined : secret === local;
    return { there, secret, place, here: same ? "yes" : local === undefined ? "no" : "another" };
  };
  return step<Token, void>({
    id,
    stage: "preflight",
    title: subject,
    needs,
    observe: async (c) => {
      const { secret, ...actual } = await look(c);
      if (actual.there && actual.here !== "yes" && secret === undefined) throw secretUnknown(login);
      return { is: "present", actual, owner: "us" };
    },
    plan: (seen) => {
      const actual = "later" in seen || seen.is !== "present" ? undefined : seen.actual;
      const to = { path: "secret", from: null, to: `written to ${actual?.place.shown ?? "a file"}, readable by you alone` };
      if (!actual?.there) return [{ id, step: id, verb: "create", subject, fields: [{ path: "runs", from: null, to: add }, to] }];
      if (actual.here === "yes") return [];
      return [{ id, step: id, verb: "update", subject, fields: [{ ...to, from: actual.here === "no" ? null : "another one" }] }];
    },
    notes: (seen) => {
      if (seen.is !== "present" || login.secret !== "" || seen.actual.place.line === undefined) return [];
      const { place } = seen.actual;
      return [
        {
          level: "warn",
          code: "TOKEN_LINE",
          message: `the token's secret ${seen.actual.here === "yes" ? "is" : "will be"} in ${place.shown}, and config.yaml does not say so yet`,
          hint: `put this into config.yaml:  ${place.line}`,
        },
      ];
    },
    apply: async (_, c) => {
      const to = placeIn(c);
      if (!(await isThere(root, login))) {
        await c.mutate({ key: subject, what: add }, async () => {
          // The output is the secret, which not even an error may show.
          redactor.learn(secretIn(await root.entry.run(`make the ${subject}`, add)));
          return undefined;
        });
      }
      const secret = await secretOf(root, login, redactor);
      if (secret === undefined) throw secretUnknown(login);
      await c.mutate({ key: to.shown, what: `write ${to.shown}` }, async () => {
        writeDurably(c.world.files, to.path, `${login.identity}=${secret}\n`);
        return undefined;
      });
    },
    output: () => {},
  });
}

function secretIn(printed: string): string {
  try {
    return text(object(JSON.parse(printed), "a new token").value) ?? "";
  } catch {
    return "";
  }
}

async function isThere(root: Root, { user, token: name }: Login): Promise<boolean> {
  const line = command("pveum", "user", "token", "list", user, "--output-format", "json");
  const printed = await root.entry.find(`list the tokens of ${user}`, line, /no such user/);
  if (printed === undefined) return false;
  return list(printedJson(printed, `the tokens of ${user}`), "the tokens").some(
    (item) => requiredText(item.tokenid, "a token's name") === name,
  );
}

async function secretOf(root: Root, { identity }: Login, redactor: Redactor): Promise<string | undefined> {
  const lookUp = `grep -F ${quote(`${identity} `)} ${SECRETS}`;
  // grep without a match fails without output.
  const printed = await root.entry.find(`look up the secret of ${identity}`, lookUp, /^$/);
  const line = printed?.split("\n").find((one) => one.startsWith(`${identity} `));
  const secret = line?.slice(identity.length + 1).trim();
  if (secret !== undefined && secret !== "") redactor.learn(secret);
  return secret === "" ? undefined : secret;
}

/** Reads the secret from a file that talosmith wrote; a file with other content is refused and kept. */
function readSecret({ world }: Read, place: TokenPlace, { identity }: Login, redactor: Redactor): string | undefined {
  const bytes = world.files.read(place.path);
  if (bytes === undefined) return undefined;
  const content = Buffer.from(bytes).toString("utf8").trim();
  if (content !== "" && content.startsWith(`${identity}=`)) {
    redactor.learn(content.slice(identity.length + 1));
    return content.slice(identity.length + 1);
  }
  throw userError("TOKEN_FILE", {
    message: `Unable to write the token's secret: ${place.shown} has other content`,
    hint: `move ${place.shown} away, or let proxmox.token refer to another file`,
  });
}

function secretUnknown({ identity, user, token: name = "" }: Login) {
  return userError("TOKEN_SECRET", {
    message: `The token ${identity} exists, but its secret is not known here`,
    detail: `Proxmox shows a secret only once, and ${SECRETS} does not contain it`,
    hint: `remove the token and run the same command again:  ${command("pveum", "user", "token", "remove", user, name)}`,
  });
}
