import { expect, test } from "vitest";
import { Secret } from "../secret.ts";
import { EMPTY_SHA256, sign } from "./signature.ts";

// Amazon's examples for signature version 4 of S3, a single chunk in the Authorization header.
const CREDENTIALS = { accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: new Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY") };
const NOW = Date.UTC(2013, 4, 24);
const WELCOME = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072";
const PUT_HEADERS = { Date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" };

test.each([
  [
    "GET",
    "/test.txt",
    {},
    { Range: "bytes=0-9" },
    EMPTY_SHA256,
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  ],
  ["PUT", "/test$file.text", {}, PUT_HEADERS, WELCOME, "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"],
  ["GET", "/", { lifecycle: "" }, {}, EMPTY_SHA256, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
  [
    "GET",
    "/",
    { prefix: "J", "max-keys": "2" },
    {},
    EMPTY_SHA256,
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  ],
])("%s %s %j has the signature of Amazon's example", (method, path, query, headers, sha256, signature) => {
  const host = "examplebucket.s3.amazonaws.com";
  const signed = sign(
    { method, host, path, query, headers: headers as Record<string, string>, sha256 },
    CREDENTIALS,
    "us-east-1",
    NOW,
  );
  expect(signed.headers.authorization).toContain(`Signature=${signature}`);
  expect(signed.headers.authorization).toContain(
    "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=",
  );
});

test("the sent path is the signed one, for any characters in a name", () => {
  const request = {
    method: "GET",
    host: "h",
    path: "/b/a b+c(é)'",
    query: { prefix: "x/y z" },
    headers: {},
    sha256: EMPTY_SHA256,
  };
  const session = { ...CREDENTIALS, sessionToken: new Secret("token") };
  const { path, headers } = sign(request, session, "r", NOW);
  expect(path).toBe("/b/a%20b%2Bc%28%C3%A9%29%27?prefix=x%2Fy%20z");
  expect(headers["x-amz-security-token"]).toBe("token");
  expect(headers.authorization).toContain("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token");
});
