import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { Secret } from "../secret.ts";
import { identityFor } from "./identity.ts";

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const KEY = pair.privateKey.export({ type: "sec1", format: "pem" }).toString();
const ENCRYPTED = pair.privateKey.export({ type: "sec1", format: "pem", cipher: "aes-128-cbc", passphrase: "sesame" }).toString();
const PUBLIC = `ecdsa-sha2-nistp256 ${Buffer.concat([
  Buffer.from("\0\0\0\x13ecdsa-sha2-nistp256\0\0\0\x08nistp256\0\0\0\x41"),
  pair.publicKey.export({ type: "spki", format: "der" }).subarray(-65),
]).toString("base64")}`;

/** A home with these files in .ssh. */
function worldWith(keys: Record<string, string>, env: Record<string, string> = { HOME: "/root" }) {
  const files = new VolatileFiles();
  files.makeFolder("/root/.ssh", 0o700);
  for (const [name, text] of Object.entries(keys)) files.write(`/root/.ssh/${name}`, Buffer.from(text), 0o600);
  return testWorld({ files, env });
}

const offered = (world: ReturnType<typeof worldWith>, more: object = {}) => {
  const { methods, tried } = identityFor(world, { user: "root", ...more });
  return { kinds: methods.map(({ type }) => type), users: [...new Set(methods.map(({ username }) => username))], tried };
};

test("the key of the config is offered alone, although there are an agent and other keys", () => {
  const world = worldWith({ id_ed25519: KEY }, { HOME: "/root", SSH_AUTH_SOCK: "/run/agent" });
  expect(offered(world, { key: new Secret(KEY), section: "takeover.ssh" })).toEqual({
    kinds: ["publickey"],
    users: ["root"],
    tried: ["the key in takeover.ssh.key was refused"],
  });
});

test("without one, the agent is asked first, and then the files that ssh would try", () => {
  const world = worldWith({ id_rsa: KEY, id_ecdsa: KEY, other: KEY }, { HOME: "/root", SSH_AUTH_SOCK: "/run/agent" });
  expect(offered(world)).toEqual({
    kinds: ["agent", "publickey", "publickey"],
    users: ["root"],
    tried: [
      "the agent's keys were refused, or the agent has no keys",
      "/root/.ssh/id_ecdsa was refused",
      "/root/.ssh/id_rsa was refused",
    ],
  });
});

test("what cannot be offered is named with the reason", () => {
  expect(offered(worldWith({ id_ed25519: ENCRYPTED, id_ecdsa: "garbage", id_rsa: PUBLIC }))).toEqual({
    kinds: [],
    users: [],
    tried: [
      "no SSH agent: SSH_AUTH_SOCK is not set",
      "/root/.ssh/id_ed25519 is encrypted: load it into the agent with ssh-add",
      "/root/.ssh/id_ecdsa has an unknown format",
      "/root/.ssh/id_rsa contains no private key",
    ],
  });
});

test("without a home no files are looked for", () => {
  expect(offered(worldWith({ id_ed25519: KEY }, {}))).toMatchObject({ kinds: [] });
});

test.each([
  ["an encrypted key", ENCRYPTED, "is encrypted", "ssh-add"],
  ["something else", "garbage", "has an unknown format", "ssh-keygen -p"],
  ["a public key", PUBLIC, "contains no private key", "ssh-keygen -p"],
])("%s in the config is refused before anything is dialled, and the hint fits", (_, key, why, hint) => {
  expect(() => identityFor(worldWith({}), { user: "root", key: new Secret(key) })).toThrow(
    expect.objectContaining({
      code: "SSH_KEY",
      message: expect.stringContaining(`network.ssh.key: it ${why}`),
      hint: expect.stringContaining(hint),
    }),
  );
});

test.each([
  ["lost its last line break", KEY.trim()],
  ["has line breaks of another system", KEY.replaceAll("\n", "\r\n")],
])("a key that %s is the same key", (_, key) => {
  expect(offered(worldWith({}), { key: new Secret(key) }).kinds).toEqual(["publickey"]);
});

test("the agent of the config is asked instead of the agent of the environment", async () => {
  const asked: string[] = [];
  const world = worldWith({}, { SSH_AUTH_SOCK: "/run/agent" });
  const dialled = {
    ...world,
    net: {
      ...world.net,
      dialFile: async (path: string) => {
        asked.push(path);
        throw new Error("no agent runs");
      },
    },
  };
  for (const agent of [{ agent: "/run/other" }, {}]) {
    const [method] = identityFor(dialled, { user: "root", ...agent }).methods;
    const { agent: keys } = method as { agent: { getIdentities(answer: (error?: Error) => void): void } };
    const error = await new Promise<Error | undefined>((answer) => keys.getIdentities(answer));
    expect(error?.message).toBe("no agent runs");
  }
  expect(asked).toEqual(["/run/other", "/run/agent"]);
});

test("an empty SSH_AUTH_SOCK is no agent", () => {
  expect(offered(worldWith({}, { SSH_AUTH_SOCK: "" }))).toEqual({
    kinds: [],
    users: [],
    tried: ["no SSH agent: SSH_AUTH_SOCK is not set"],
  });
});

test("a key file that cannot be read is left out", () => {
  const world = worldWith({ id_rsa: KEY });
  world.files.makeFolder("/root/.ssh/id_ed25519", 0o700);
  expect(offered(world)).toMatchObject({
    kinds: ["publickey"],
    tried: ["no SSH agent: SSH_AUTH_SOCK is not set", "/root/.ssh/id_rsa was refused"],
  });
});

test("every key is offered for the user of the config", () => {
  const world = worldWith({ id_rsa: KEY }, { HOME: "/root", SSH_AUTH_SOCK: "/run/agent" });
  expect(identityFor(world, { user: "admin" }).methods.map(({ username }) => username)).toEqual(["admin", "admin"]);
  expect(identityFor(world, { user: "admin", key: new Secret(KEY) }).methods.map(({ username }) => username)).toEqual(["admin"]);
});
