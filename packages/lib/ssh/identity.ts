import { join } from "node:path";
import ssh2, { type AnyAuthMethod, type ParsedKey } from "ssh2";
import type { Secret } from "../secret.ts";
import type { World } from "../world/world.ts";
import { Agent } from "./agent.ts";
import { badKey } from "./errors.ts";

export interface Wanted {
  user: string;
  /** Then nothing else is tried. */
  key?: Secret;
  /** The agent's socket file; absent = $SSH_AUTH_SOCK. */
  agent?: string;
  /** Where in the config it stands, for hints. */
  section?: string;
}

export interface Identity {
  /** In the order in which they are tried. */
  methods: AnyAuthMethod[];
  /** The same in words, and why others cannot be tried. */
  tried: string[];
}

/** Whose private keys ssh itself would try. */
const USUAL = ["id_ed25519", "id_ecdsa", "id_rsa"];

/** As whom to come: the given key, else the agent's keys and the usual files. */
export function identityFor(world: World, { user: username, key, agent, section = "network.ssh" }: Wanted): Identity {
  if (key !== undefined) {
    return {
      methods: [{ type: "publickey", username, key: givenKey(key, section) }],
      tried: [`the key of ${section}.key was refused`],
    };
  }
  const methods: AnyAuthMethod[] = [];
  const tried: string[] = [];
  const socket = agent ?? world.env("SSH_AUTH_SOCK");
  if (socket) {
    methods.push({ type: "agent", username, agent: new Agent(world, socket) });
    tried.push("the agent's keys were refused, or it has none");
  } else tried.push("there is no agent: SSH_AUTH_SOCK is not set");
  const home = world.env("HOME");
  for (const path of home ? USUAL.map((name) => join(home, ".ssh", name)) : []) {
    const bytes = read(world, path);
    if (bytes === undefined) continue;
    const parsed = parse(bytes);
    if ("why" in parsed) tried.push(`${path} ${parsed.why}`);
    else {
      methods.push({ type: "publickey", username, key: parsed.key });
      tried.push(`${path} was refused`);
    }
  }
  return { methods, tried };
}

function givenKey(key: Secret, section: string): ParsedKey {
  const parsed = parse(key.reveal());
  if ("key" in parsed) return parsed.key;
  throw badKey(
    `the private key in ${section}.key`,
    `it ${parsed.why}`,
    parsed.encrypted
      ? `load it into the agent with ssh-add and remove ${section}.key, or name a key without a passphrase`
      : "give a private key as ssh-keygen writes it; one in another format is rewritten by:  ssh-keygen -p -f FILE",
  );
}

type Parsed = { key: ParsedKey } | { why: string; encrypted: boolean };

function parse(text: string | Buffer): Parsed {
  // A key from a reference may have lost its last line break, or have come from a system with others.
  const parsed = ssh2.utils.parseKey(`${text.toString().trim()}\n`.replaceAll("\r\n", "\n"));
  if (parsed instanceof Error) {
    const encrypted = /passphrase|encrypted/i.test(parsed.message);
    return { why: encrypted ? "is encrypted: load it into the agent with ssh-add" : "has an unknown format", encrypted };
  }
  // The library gives a list for the format that could hold several.
  const [key] = [parsed].flat();
  return key?.isPrivateKey() ? { key } : { why: "holds no private key", encrypted: false };
}

function read(world: World, path: string): Buffer | undefined {
  try {
    const bytes = world.files.read(path);
    return bytes && Buffer.from(bytes);
  } catch {
    return undefined;
  }
}
