import { userError } from "@talosmith/lib/errors.ts";
import { fingerprint } from "@talosmith/lib/ssh/host-key.ts";
import { identityFor } from "@talosmith/lib/ssh/identity.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type ssh2 from "ssh2";
import type { Write } from "../../../../engine/step.ts";
import type { RescueLogin } from "../../config/config-on-vps.ts";
import { object, requiredNumber, text } from "./answers.ts";
import type { HetznerClient, Patience } from "./client.ts";
import { refusalOf } from "./refusal.ts";

/** A public key, as authorized_keys has it. */
export interface PublicKey {
  readonly type: string;
  readonly blob: Buffer;
}

const SECTION = "nodes[].ssh";

/** The public halves of all keys that a login would try, in its order. */
export async function publicKeys(world: World, { user, key }: RescueLogin): Promise<PublicKey[]> {
  const { methods } = identityFor(world, { user, section: SECTION, ...(key && { key }) });
  const keys: PublicKey[] = [];
  for (const method of methods) {
    if (method.type === "publickey") keys.push(publicOf(method.key as ssh2.ParsedKey));
    if (method.type === "agent") keys.push(...(await agentKeys(method.agent as ssh2.BaseAgent)));
  }
  return keys;
}

function publicOf(key: Pick<ssh2.ParsedKey, "type" | "getPublicSSH">): PublicKey {
  return { type: key.type, blob: key.getPublicSSH() };
}

/** Keys of the SSH agent; none when it does not answer. */
function agentKeys(agent: ssh2.BaseAgent): Promise<PublicKey[]> {
  return new Promise((resolve) => {
    agent.getIdentities((error, keys) => resolve(error || !keys ? [] : keys.filter(isParsed).map(publicOf)));
  });
}

function isParsed(key: unknown): key is ssh2.ParsedKey {
  return typeof key === "object" && key !== null && "getPublicSSH" in key;
}

/** The ids of the login's keys that Hetzner Cloud knows. When it knows none, only the first one is added: an agent may hold keys for other purposes. */
export async function knownKeys(client: HetznerClient, login: RescueLogin, c: Write): Promise<number[]> {
  const keys = await publicKeys(c.world, login);
  const [first] = keys;
  if (first === undefined) throw noKey();
  const known = await idsOf(client, keys, c);
  if (known.length > 0) return known;
  const name = `talosmith ${fingerprint(first.blob).slice("SHA256:".length, "SHA256:".length + 12)}`;
  try {
    const id = await c.mutate(
      { key: `hetzner ssh key ${name}`, what: `add the SSH key ${fingerprint(first.blob)} to Hetzner Cloud` },
      async () => {
        const body = { name, public_key: printed(first), labels: { talosmith: "rescue" } };
        return requiredNumber(object((await client.post("/ssh_keys", body, c)).ssh_key, "ssh_key").id, "an SSH key's id");
      },
    );
    return [id];
  } catch (error) {
    // Another process added it first, or the response to our own call was lost.
    if (refusalOf(error)?.code !== "uniqueness_error") throw error;
    const now = await idsOf(client, [first], c);
    if (now.length === 0) throw error;
    return now;
  }
}

/** GET /ssh_keys. Compares the keys themselves, since comments and names prove nothing. */
async function idsOf(client: HetznerClient, keys: readonly PublicKey[], patience: Patience): Promise<number[]> {
  const ours = new Set(keys.map(({ blob }) => blob.toString("base64")));
  const theirs = await client.all("/ssh_keys", "ssh_keys", patience);
  return theirs
    .filter(({ public_key }) => ours.has((text(public_key) ?? "").trim().split(/\s+/)[1] ?? ""))
    .map(({ id }) => requiredNumber(id, "an SSH key's id"));
}

function printed({ type, blob }: PublicKey): string {
  return `${type} ${blob.toString("base64")}`;
}

function noKey() {
  return userError("NO_SSH_KEY", {
    message: "Unable to prepare a rescue system: there is no SSH key to log in with",
    detail: "neither a key in the config, nor an agent with keys, nor one of the usual files without a passphrase",
    hint: `name a private key in ${SECTION}.key, or load one with ssh-add`,
  });
}
