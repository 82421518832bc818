import { generateKeyPairSync } from "node:crypto";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { createSecretsBundle } from "./create.ts";
import { privateKey } from "./key-pem.ts";
import { printSecrets } from "./print.ts";
import { readSecrets } from "./read.ts";

const real = realWorld();
let printed = "";
beforeAll(async () => {
  // A smaller RSA key: the size does not matter for reading, and generating 4096 bits takes seconds.
  const rsa4096 = async () => generateKeyPairSync("rsa", { modulusLength: 2048 });
  const world = { ...real, keys: { ...real.keys, rsa4096 } };
  printed = printSecrets(await createSecretsBundle(world, { contract: "v1.12", redactor: new Redactor() }));
});

function read(text: string) {
  return readSecrets(text, { file: "secrets.yaml", redactor: new Redactor() });
}

function problemsOf(text: string): TalosmithError[] {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof TalosmithError)) throw error;
    expect(error.kind).toBe("user");
    expect(error.hint).toBeDefined();
    return error.problems.length > 0 ? [...error.problems] : [error];
  }
  return [];
}

const messages = (text: string) => problemsOf(text).map((problem) => problem.message);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const line = (path: RegExp) => printed.match(path)?.[0] ?? "";

/** The value of a key in the part of the file that begins with `part`. */
function change(part: string, key: string, value: string): string {
  const start = printed.indexOf(`${part}:`);
  return printed.slice(0, start) + printed.slice(start).replace(new RegExp(`${key}: \\S+`), () => `${key}: ${value}`);
}

test("a whole bundle has no problems", () => {
  expect(messages(printed)).toEqual([]);
});

test("a missing value is named, with the place where it should be", () => {
  const [problem] = problemsOf(printed.replace(/ {4}token: \S+\n/, "    other: x\n"));
  expect(problem?.message).toBe("trustdinfo.token is missing");
  expect(problem?.where).toMatchObject({ file: "secrets.yaml", line: 8 });
});

test("an empty file gets one error with all missing values", () => {
  expect(messages("")).toHaveLength(14);
});

test.each(["[]", "cluster: 5\n", "just words", "cluster: [a, b]\n", "- a\n- b\n"])(
  "%j is a user's error, not a crash",
  (text) => {
    expect(messages(text).length).toBeGreaterThan(0);
  },
);

test("broken YAML is reported with its line, and nothing of the file is quoted", () => {
  const secret = line(/bootstraptoken: \S+/).split(" ")[1] ?? "";
  const [problem] = problemsOf(printed.replace("trustdinfo:", "trustdinfo: ]"));
  expect(problem?.where?.line).toBe(7);
  expect(JSON.stringify(problem?.report())).not.toContain(secret);
});

test("a cluster secret of another length than 32 bytes is refused", () => {
  expect(messages(change("cluster", "secret", base64("short")))).toEqual(["cluster.secret must be 32 bytes in base64"]);
});

test("a bootstrap token of another form is refused", () => {
  expect(messages(change("secrets", "bootstraptoken", "abc"))).toEqual([
    'secrets.bootstraptoken must look like "abcdef.0123456789abcdef"',
  ]);
});

test("a token of digits, quoted as talosctl would, stays a text and is printed so again", () => {
  const digits = change("secrets", "bootstraptoken", '"123456.1234567890123456"');
  expect(read(digits).secrets.bootstrapToken.reveal()).toBe("123456.1234567890123456");
  expect(printSecrets(read(digits))).toBe(digits);
});

test("an old bundle with aescbc keeps it", () => {
  const old = printed.replace("secretboxencryptionsecret", "aescbcencryptionsecret");
  expect(read(old).secrets.encryption.kind).toBe("aescbc");
  expect(printSecrets(read(old))).toBe(old);
});

test("both kinds of encryption secret are one too many", () => {
  const both = printed.replace("secrets:\n", "secrets:\n    aescbcencryptionsecret: YWJj\n");
  expect(messages(both)).toEqual([
    "secrets.aescbcencryptionsecret is set beside secretboxencryptionsecret: only one of them is allowed",
  ]);
});

test("a redacted key has another error than a damaged one", () => {
  expect(messages(change("    os", "key", '"******"'))).toEqual([expect.stringContaining("certs.os.key was redacted")]);
  expect(messages(change("    os", "key", "AAAA"))).toEqual(["certs.os.key must be PEM in base64"]);
});

test("a certificate where a key belongs is refused by its label", () => {
  const certificate = printed.match(/etcd:\n {8}crt: (\S+)/)?.[1] ?? "";
  expect(messages(change("    etcd", "key", certificate))).toEqual([
    'certs.etcd.key holds "CERTIFICATE" where a private key belongs',
  ]);
});

test("a key that does not belong to its certificate is refused", () => {
  const foreign = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "sec1", format: "pem" });
  expect(messages(change("    k8s", "key", base64(foreign.toString())))).toEqual([
    "certs.k8s.key does not belong to the certificate beside it",
  ]);
});

test("the plain PKCS#8 label is accepted for every CA and kept", () => {
  let text = printed;
  for (const name of ["etcd", "k8s", "k8saggregator", "os"]) {
    const key = text.match(new RegExp(` {4}${name}:\\n.*\\n {8}key: (\\S+)`))?.[1] ?? "";
    const pkcs8 = privateKey(Buffer.from(key, "base64").toString()).export({ type: "pkcs8", format: "pem" });
    text = text.replace(key, base64(pkcs8.toString()));
  }
  expect(text).not.toBe(printed);
  expect(printSecrets(read(text))).toBe(text);
});

test("all values read are known to the redactor", () => {
  const redactor = new Redactor();
  readSecrets(printed, { file: "secrets.yaml", redactor });
  const secrets = printed.split("\n").filter((text) => /(key|secret|token): \S/.test(text));
  for (const text of secrets) expect(redactor.text(text)).toMatch(/: \(secret\)$/);
});

test("any damage to the file is a user's error or nothing, never a crash, and quotes no secret", () => {
  const secrets = [...printed.matchAll(/(?:secret|token): (\S+)/g)].map((match) => match[1] ?? "");
  fc.assert(
    fc.property(fc.nat(printed.length), fc.nat(40), fc.string({ maxLength: 8 }), (at, cut, put) => {
      const report = JSON.stringify(problemsOf(printed.slice(0, at) + put + printed.slice(at + cut)).map((p) => p.report()));
      for (const secret of secrets) expect(report).not.toContain(secret);
    }),
    { numRuns: 60 },
  );
});
