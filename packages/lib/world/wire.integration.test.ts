import { afterEach, expect, test } from "vitest";
import { createCertificate } from "../x509/certificate.ts";
import { realWorld } from "./real.ts";
import { type Wire, wiredWorld } from "./wire.ts";
import { readWire } from "./wire-file.ts";
import type { Listener } from "./world.ts";

const world = realWorld();
const listeners: Listener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((one) => one.close()));
});

function read(text: string): Wire {
  return readWire({ ...world.files, read: () => Buffer.from(text) }, "wire.yaml");
}

test("a plain connection arrives at the address of its rule", async () => {
  const listener = await world.net.listen({ host: "127.0.0.1", port: 0 }, (socket) => socket.end("here"));
  listeners.push(listener);
  const wired = wiredWorld(world, read(`connect: { "10.0.0.1:80": "127.0.0.1:${listener.port}" }`));
  const socket = await wired.net.dial({ host: "10.0.0.1", port: 80 });
  expect(String(await socket.toArray().then(Buffer.concat))).toBe("here");
});

test("a certificate is verified for the requested address, not for the redirected one", async () => {
  const { publicKey, privateKey } = await world.keys.p256();
  const certificate = createCertificate({
    subject: { commonName: "x" },
    publicKey,
    issuer: { key: privateKey },
    serial: world.random.bytes(16),
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 600_000),
    keyUsage: ["digitalSignature", "keyCertSign"],
    extKeyUsage: ["serverAuth"],
    subjectAltNames: { ip: ["10.0.0.1"], dns: [] },
  });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const listener = await world.net.serve({ host: "127.0.0.1", port: 0, tls: { certificate, key } }, (_, response) => {
    response.end();
  });
  listeners.push(listener);
  const wired = wiredWorld(world, read(`connect: { "10.0.0.0/31:443": "127.0.0.0/31:${listener.port}" }`));
  const tls = { trust: { by: "ca", pem: certificate } } as const;
  const socket = await wired.net.dial({ host: "10.0.0.1", port: 443, tls });
  expect(socket.remoteAddress).toBe("127.0.0.1");
  socket.destroy();
  await expect(world.net.dial({ host: "127.0.0.1", port: listener.port, tls })).rejects.toMatchObject({
    code: "ERR_TLS_CERT_ALTNAME_INVALID",
  });
});
