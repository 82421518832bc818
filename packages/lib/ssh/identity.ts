import type { Socket } from "node:net";
import { join } from "node:path";
import ssh2, { type AnyAuthMethod, type ParsedKey } from "ssh2";
import type { Secret } from "../secret.ts";
import type { World } from "../world/world.ts";
import { badKey } from "./errors.ts";
import { readable } from "./readable.ts";

export interface SshCredentials {
  user: string;
  /** When set, no other key is tried. */
  key?: Secret;
  /** The agent's socket file; absent = $SSH_AUTH_SOCK. */
  agent?: string;
  /** The section of the config, for hints. */
  section?: string;
}

export interface Identity {
  /** In the order in which they are tried. */
  methods: AnyAuthMethod[];
  /** The methods in words, and why others are not available. */
  tried: string[];
}

/** The private key files that ssh tries by default. */
const USUAL = ["id_ed25519", "id_ecdsa", "id_rsa"];

/** Finds the login methods: the given key, else the agent's keys and the default key files. */
export function identityFor(world: World, { user: username, key, agent, section = "network.ssh" }: SshCredentials): Identity {
  if (key !== undefined) {
    return {
      methods: [{ type: "publickey", username, key: givenKey(key, section) }],
      tried: [`the key in ${section}.key was refused`],
    };
  }
  const methods: AnyAuthMethod[] = [];
  const tried: string[] = [];
  const socket = agent ?? world.env("SSH_AUTH_SOCK");
  if (socket) {
    methods.push({ type: "agent", username, agent: new Agent(world, socket) });
    tried.push("the agent's keys were refused, or the agent has no keys");
  } else tried.push("no SSH agent: SSH_AUTH_SOCK is not set");
  const home = world.env("HOME");
  for (const path of home ? USUAL.map((name) => join(home, ".ssh", name)) : []) {
    const text = readable(world, path);
    if (text === undefined) continue;
    const parsed = parse(text);
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
      ? `load it into the agent with ssh-add and remove ${section}.key, or use a key without a passphrase`
      : "use a private key in a format of ssh-keygen; convert a key in another format with:  ssh-keygen -p -f FILE",
  );
}

type Parsed = { key: ParsedKey } | { why: string; encrypted: boolean };

function parse(text: string): Parsed {
  // A key from a reference may lack its last line break, or have Windows line breaks.
  const parsed = ssh2.utils.parseKey(`${text.trim()}\n`.replaceAll("\r\n", "\n"));
  if (parsed instanceof Error) {
    const encrypted = /passphrase|encrypted/i.test(parsed.message);
    return { why: encrypted ? "is encrypted: load it into the agent with ssh-add" : "has an unknown format", encrypted };
  }
  // The library returns a list for the format that can hold several keys.
  const [key] = [parsed].flat();
  return key?.isPrivateKey() ? { key } : { why: "contains no private key", encrypted: false };
}

/** The user's SSH agent, reached through the World. */
class Agent extends ssh2.OpenSSHAgent {
  readonly #world: World;
  readonly #path: string;

  constructor(world: World, path: string) {
    super(path);
    this.#world = world;
    this.#path = path;
  }

  /** The library calls this for every request to the agent. */
  override getStream(answer: (error: Error | null, stream?: Socket) => void): void {
    this.#world.net.dialFile(this.#path).then(
      (socket) => answer(null, socket),
      (error: Error) => answer(error),
    );
  }
}
