import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { TalosmithError } from "../errors.ts";
import { createCertificate } from "../x509/certificate.ts";
import { realWorld } from "./real.ts";
import { lead, type Wire, wiredWorld } from "./wire.ts";
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

function problemsOf(text: string): TalosmithError[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof TalosmithError) return error.problems.length > 0 ? [...error.problems] : [error];
  }
  return [];
}

const WIRE = `connect:
  "192.168.122.70:8006": "127.80.1.1:8006"
  "192.168.122.70:22": "127.80.1.1:2222"
  "pve.example:*": "127.80.1.1:*"
  "10.10.0.0/24": "127.80.1.0/24"
  "10.10.0.128/25": "127.80.2.128/25"
  "10.10.0.0/24:22": "127.80.1.0/24:2222"
`;

describe("where a connection leads", () => {
  test.each([
    ["192.168.122.70", 8006, "127.80.1.1", 8006],
    ["192.168.122.70", 22, "127.80.1.1", 2222],
    ["PVE.example", 8006, "127.80.1.1", 8006],
    ["10.10.0.11", 50000, "127.80.1.11", 50000],
    ["10.10.0.11", 22, "127.80.1.11", 2222],
    ["10.10.0.200", 50000, "127.80.2.200", 50000],
    ["127.0.0.1", 80, "127.0.0.1", 80],
    ["localhost", 80, "localhost", 80],
    ["::1", 80, "::1", 80],
  ])("%s:%i is redirected to %s:%i", (host, port, toHost, toPort) => {
    expect(lead(read(WIRE), host, port)).toEqual({ host: toHost, port: toPort });
  });

  test.each([
    ["192.168.122.70", 443],
    ["10.10.1.11", 50000],
    ["factory.talos.dev", 443],
    ["127.evil.example", 443],
  ])("%s:%i, which has no rule, is refused", (host, port) => {
    expect(() => lead(read(WIRE), host, port)).toThrow(expect.objectContaining({ kind: "user", code: "WIRE_UNMAPPED" }));
  });

  test("no rule leads off this machine, for any address", () => {
    const wire = read(WIRE);
    const host = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain(), fc.constantFrom("localhost", "10.10.0.9"));
    fc.assert(
      fc.property(host, fc.integer({ min: 1, max: 65_535 }), (asked, port) => {
        let led: string;
        try {
          led = lead(wire, asked, port).host;
        } catch {
          return;
        }
        expect(led).toMatch(/^(127\.\d+\.\d+\.\d+|localhost|::1)$/);
      }),
    );
  });
});

describe("a file", () => {
  test.each([
    ["connect: { 10.10.0.0/24: 127.80.1.0/25 }", 1, "are not of the same size"],
    ["connect:\n  10.10.0.1:80: 127.80.1.0/24", 2, "are not of the same size"],
    ["connect:\n  10.10.0.1:80: 10.10.0.2:80", 2, "is not on this machine"],
    ["connect:\n  10.10.0.0/24: 0.0.0.0/24", 2, "is not on this machine"],
    ["connect:\n  10.10.0.1: 127.0.0.1:80", 2, "is not an address"],
    ["connect:\n  10.10.0.1/24: 127.80.1.0/24", 2, "is not an address"],
    ["connect:\n  10.10.0.1:99999: 127.0.0.1:80", 2, "is not an address"],
    ["connect: {}\ncertificate: x", 2, "certificate is no known key"],
    ["connect: {}\ntimeScale: fast", 2, "timeScale is not understood"],
    ["timeScale: 2", 1, "connect is missing"],
    ["connect: {", 1, ""],
  ])("%j is refused at line %i", (text, line, message) => {
    const [problem] = problemsOf(text);
    expect(problem).toMatchObject({ kind: "user", where: { file: "wire.yaml", line, frame: expect.any(String) } });
    expect(problem?.message).toContain(message);
  });

  test("all problems of a file are reported together", () => {
    expect(problemsOf("connect:\n  a: b\n  c:1: d\n").map(({ where }) => where?.line)).toEqual([2, 3]);
  });

  test("a missing file and an empty file are user errors", () => {
    expect(() => readWire({ ...world.files, read: () => undefined }, "wire.yaml")).toThrow(
      expect.objectContaining({ code: "WIRE_FILE" }),
    );
    expect(problemsOf("")).toMatchObject([{ code: "WIRE_FILE" }]);
  });

  test("a time scale makes the clock run faster", async () => {
    const fast = wiredWorld(world, read("connect: {}\ntimeScale: 100000"));
    const began = fast.clock.monotonic();
    await fast.clock.sleep(3_600_000);
    expect(fast.clock.monotonic() - began).toBeGreaterThan(1_800_000);
  });
});

describe("a world on a wire", () => {
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
});

test("the certificate authority is read from the named file, relative to the wire file", () => {
  const contents: Record<string, string> = { "lab/wire.yaml": "connect: {}\nca: ca.pem\n", "lab/ca.pem": "PEM" };
  const files = { ...world.files, read: (path: string) => Buffer.from(contents[path] ?? "") };
  expect(readWire(files, "lab/wire.yaml").ca).toBe("PEM");
});
