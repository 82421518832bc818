import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { Redactor, Secret } from "../secret.ts";
import { realKeys } from "../world/keys.ts";
import { createCertificate } from "../x509/certificate.ts";
import { openBucket } from "./bucket.ts";
import { findCredentials } from "./credentials.ts";
import { parseS3, s3Target } from "./target.ts";

const { signal } = new AbortController();
const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const CREDENTIALS = { accessKey: "AKIA", secretKey: new Secret(SECRET) };

type Answer = [status: number, body?: string, headers?: Record<string, string>];
let server: Server | undefined;
const seen: { line: string; headers: IncomingMessage["headers"]; body: string }[] = [];

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  seen.length = 0;
});

/** A server that gives these responses in order, whatever the request is. */
async function answering(...answers: (Answer | "cut")[]) {
  server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part) => (body += part));
    request.on("end", () => {
      seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      const answer = answers[Math.min(seen.length, answers.length) - 1] ?? [500];
      if (answer === "cut") return void request.socket.destroy();
      response.writeHead(answer[0], answer[2]).end(answer[1]);
    });
  });
  const started = server;
  await new Promise<void>((done) => started.listen(0, "127.0.0.1", done));
  const endpoint = `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
  const world = testWorld({ timeScale: 1000 });
  return openBucket(world, s3Target(world, { bucket: "kept", key: "" }, { endpoint, region: "here-1" }), CREDENTIALS);
}

const error = (code: string, more = "") =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No &amp; no.</Message>${more}</Error>`;
const body = {
  size: 4,
  open: async function* () {
    yield Buffer.from("text");
  },
};
const hashes = { sha256: "ab", md5: "cd==" };

test("put sends the whole file once, with its hashes, and never overwrites an object", async () => {
  const bucket = await answering([200]);
  expect(await bucket.put("a/b c", body, hashes, signal)).toBe("stored");
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ line: "PUT /kept/a/b%20c", body: "text" });
  expect(seen[0]?.headers).toMatchObject({
    "content-length": "4",
    "content-md5": "cd==",
    "x-amz-content-sha256": "ab",
    "if-none-match": "*",
  });
  expect(seen[0]?.headers.authorization).toContain("/here-1/s3/aws4_request");
});

test("put retries when the server is busy and when a response was lost", async () => {
  const bucket = await answering([503, error("SlowDown")], "cut", [500], [200]);
  expect(await bucket.put("a", body, hashes, signal)).toBe("stored");
  expect(seen.map(({ body: sent }) => sent)).toEqual(["text", "text", "text", "text"]);
});

test("put fails when the server stays busy", async () => {
  const bucket = await answering([503, error("SlowDown")]);
  await expect(bucket.has("a", signal)).rejects.toMatchObject({ code: "S3_REFUSED", kind: "remote" });
  expect(seen).toHaveLength(5);
});

test("put repeats without the condition when the server does not support it, and reports a taken name when it does", async () => {
  const bucket = await answering([501, error("NotImplemented")], [200], [412, error("PreconditionFailed")]);
  expect(await bucket.put("a", body, hashes, signal)).toBe("stored");
  expect(seen[1]?.headers["if-none-match"]).toBeUndefined();
  expect(await bucket.put("a", body, hashes, signal)).toBe("taken");
});

test.each([
  [404, error("NoSuchBucket"), {}, "S3_NO_BUCKET", "create the bucket kept"],
  [404, error("NoSuchKey"), {}, "S3_NO_OBJECT", "restore --list s3://kept/"],
  [403, error("AccessDenied"), {}, "S3_DENIED", "s3:GetObject"],
  [403, error("SignatureDoesNotMatch", `<StringToSign>${SECRET}</StringToSign>`), {}, "S3_LOGIN", "AWS_SECRET_ACCESS_KEY"],
  [403, error("InvalidAccessKeyId"), {}, "S3_LOGIN", "AWS_ACCESS_KEY_ID"],
  [403, error("RequestTimeTooSkewed"), {}, "S3_CLOCK", "clock"],
  [301, error("PermanentRedirect"), { "x-amz-bucket-region": "eu-west-1" }, "S3_REGION", "--s3-region eu-west-1"],
  [400, error("AuthorizationHeaderMalformed", "<Region>eu-north-1</Region>"), {}, "S3_REGION", "--s3-region eu-north-1"],
  [418, "<html>", {}, "S3_REFUSED", "the server's answer above gives the reason"],
])("%i %s becomes a specific error with a hint, without retries", async (status, text, headers, code, hint) => {
  const bucket = await answering([status, text, headers as Record<string, string>]);
  const refused = await bucket.get("a", signal).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ code, hint: expect.stringContaining(hint) });
  expect(JSON.stringify(refused)).not.toContain(SECRET);
  expect(seen).toHaveLength(1);
});

test("a truncated download fails", async () => {
  const bucket = await answering([200, "abc", { "content-length": "3" }]);
  server?.removeAllListeners("request").on("request", (_, response: ServerResponse) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("abc", () => response.destroy());
  });
  const take = async () => {
    for await (const _ of await bucket.get("a", signal));
  };
  await expect(take()).rejects.toMatchObject({ code: "CONNECTION_LOST" });
});

test("an untrusted server gets no request, and the call is not repeated", async () => {
  const { publicKey, privateKey } = await realKeys.p256();
  const cert = createCertificate({
    subject: { commonName: "s3" },
    publicKey,
    issuer: { key: privateKey },
    serial: Buffer.from("1"),
    notBefore: new Date("2025-01-01T00:00:00Z"),
    notAfter: new Date("2045-01-01T00:00:00Z"),
    keyUsage: ["digitalSignature"],
    extKeyUsage: ["serverAuth"],
    subjectAltNames: { ip: ["127.0.0.1"] },
  });
  let asked = 0;
  const secure = createSecureServer({ cert, key: privateKey.export({ type: "pkcs8", format: "pem" }) }, () => asked++);
  await new Promise<void>((done) => secure.listen(0, "127.0.0.1", done));
  try {
    const world = testWorld();
    const endpoint = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
    const bucket = openBucket(world, s3Target(world, { bucket: "kept", key: "" }, { endpoint }), CREDENTIALS);
    await expect(bucket.has("a", signal)).rejects.toMatchObject({ code: "S3_TLS", hint: expect.stringContaining("--s3-ca") });
    expect(asked).toBe(0);
  } finally {
    secure.closeAllConnections();
    secure.close();
  }
});

test("a list continues from page to page", async () => {
  const page = (names: string[], next?: string) =>
    `<ListBucketResult xmlns="x">${next ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>` : ""}${names
      .map((name) => `<Contents><Key>${name}</Key><LastModified>2026-11-16T15:00:00.000Z</LastModified><Size>7</Size></Contents>`)
      .join("")}</ListBucketResult>`;
  const bucket = await answering([200, page(["p/a&amp;b"], "n=1/")], [200, page(["p/c&#x20;d"])]);
  const modifiedMs = Date.UTC(2026, 10, 16, 15);
  expect(await bucket.list("p/", signal)).toEqual([
    { key: "p/a&b", size: 7, modifiedMs },
    { key: "p/c d", size: 7, modifiedMs },
  ]);
  expect(seen[1]?.line).toBe("GET /kept/?continuation-token=n%3D1%2F&list-type=2&prefix=p%2F");
});

test("the bucket is part of the host name at Amazon and of the path elsewhere, unless the options say otherwise", () => {
  const world = testWorld({ env: { AWS_REGION: "eu-west-1" } });
  const at = (bucket: string, wishes = {}) => {
    const { url, root } = s3Target(world, { bucket, key: "" }, wishes);
    return `${url}${root}`;
  };
  expect(at("kept")).toBe("https://kept.s3.eu-west-1.amazonaws.com");
  expect(at("with.dot")).toBe("https://s3.eu-west-1.amazonaws.com/with.dot");
  expect(at("kept", { endpoint: "https://s3.example.com:9000/base/" })).toBe("https://s3.example.com:9000/base/kept");
  expect(at("kept", { endpoint: "https://s3.example.com", style: "host" })).toBe("https://kept.s3.example.com");
  expect(() => at("kept", { endpoint: "https://user:password@host" })).toThrow(expect.objectContaining({ code: "S3_ENDPOINT" }));
  for (const text of ["s3://", "s3://A/b", "s3://ab/../c", "s3://a..b/c"])
    expect(() => parseS3(text)).toThrow(expect.objectContaining({ code: "S3_ADDRESS" }));
});

test("access keys come from the environment or from a profile in a file, and are never shown", () => {
  const files = new VolatileFiles();
  files.makeFolder("/home/.aws", 0o700);
  files.write(
    "/home/.aws/credentials",
    Buffer.from("[other]\naws_access_key_id = A\n[default]\naws_access_key_id=B\naws_secret_access_key = bbbbbbbbbb\n"),
    0o600,
  );
  const find = (env: Record<string, string>) =>
    findCredentials(testWorld({ files, env: { HOME: "/home", ...env } }), new Redactor());
  expect(find({ AWS_ACCESS_KEY_ID: "E", AWS_SECRET_ACCESS_KEY: "eeeeeeeeee" }).accessKey).toBe("E");
  const found = find({});
  expect([found.accessKey, found.secretKey.reveal(), JSON.stringify(found)]).toEqual([
    "B",
    "bbbbbbbbbb",
    '{"accessKey":"B","secretKey":"(secret)"}',
  ]);
  expect(() => find({ AWS_PROFILE: "other" })).toThrow(expect.objectContaining({ code: "S3_NO_CREDENTIALS" }));
});
