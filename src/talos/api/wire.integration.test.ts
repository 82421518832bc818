import { constants, type ServerHttp2Stream } from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { EventSchema, PhaseEventSchema, VersionResponseSchema } from "@talosmith/wire/gen/machine/machine_pb.js";
import { expect, test } from "vitest";
import { MachineConfig } from "../config/machine-config.ts";
import { nodeIdentity } from "./testing/fake-node.ts";
import { ADDRESS, failure, network, nodes, nodeThat, ours, signal, useOneNode, version } from "./testing/one-node.ts";

/* What a connection may do that no server library does on request. gRPC over HTTP/2: a message is a flag, its length in four bytes, its bytes. */

useOneNode();

const { NGHTTP2_NO_ERROR, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_REFUSED_STREAM } = constants;
const HEADERS = { ":status": 200, "content-type": "application/grpc+proto" };
const VERSION = toBinary(VersionResponseSchema, create(VersionResponseSchema, { messages: [{ version: { tag: "v1.13.9" } }] }));

function framed(bytes: Uint8Array, length = bytes.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, bytes]);
}

function phase(id: string): Buffer {
  const value = toBinary(PhaseEventSchema, create(PhaseEventSchema, { phase: "stopServices" }));
  return framed(toBinary(EventSchema, create(EventSchema, { id, data: { typeUrl: "talos/runtime/machine.PhaseEvent", value } })));
}

function begin(stream: ServerHttp2Stream): void {
  stream.respond(HEADERS, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.on("error", () => {});
}

function answerVersion(stream: ServerHttp2Stream): void {
  begin(stream);
  stream.end(framed(VERSION));
}

async function byHand(answer: (stream: ServerHttp2Stream, path: string) => void) {
  await network.raw(ADDRESS, await nodeIdentity(network.real, ours, ADDRESS), answer);
  return nodes.node(ADDRESS);
}

test("an error may come without anything before it", async () => {
  const node = await byHand((stream) =>
    stream.respond({ ...HEADERS, "grpc-status": "7", "grpc-message": "not%20authorized" }, { endStream: true }),
  );
  expect(await failure(node.version(signal))).toMatchObject({ code: "TALOS_DENIED", detail: "PermissionDenied: not authorized" });
});

test("an answer without a status is not taken for one", async () => {
  const node = await byHand((stream) => {
    stream.respond(HEADERS);
    stream.end(framed(VERSION));
  });
  expect(await failure(node.version(signal))).toMatchObject({ code: "TALOS_UNAVAILABLE", transient: true });
});

test("a server that responds with a web page is not a node, and the page is not shown", async () => {
  const node = await byHand((stream) => {
    stream.respond({ ":status": 502, "content-type": "text/html" });
    stream.end("<h1>Bad Gateway</h1>");
  });
  const error = await failure(node.version(signal));
  expect(error).toMatchObject({ code: "TALOS_UNAVAILABLE", transient: true });
  expect(error.detail).not.toContain("<h1>");
});

test("a call that was refused before it was processed is repeated once", async () => {
  let asked = 0;
  const node = await byHand((stream) => {
    asked++;
    if (asked === 1) stream.close(NGHTTP2_REFUSED_STREAM);
    else answerVersion(stream);
  });
  expect(await node.version(signal)).toMatchObject({ version: "v1.13.9" });
  expect([asked, nodes.calls()]).toEqual([2, 1]);
});

test("a call that is refused so again and again is given up", async () => {
  let asked = 0;
  const node = await byHand((stream) => {
    asked++;
    stream.close(NGHTTP2_REFUSED_STREAM);
  });
  expect(await failure(node.version(signal))).toMatchObject({ code: "TALOS_UNAVAILABLE", transient: true });
  expect(asked).toBe(2);
});

test("a message larger than Talos' own limit is refused by its head alone", async () => {
  const node = await byHand((stream) => {
    begin(stream);
    stream.write(framed(new Uint8Array(8), 33 * 1024 * 1024));
  });
  expect(await failure(node.version(signal))).toMatchObject({
    code: "TALOS_REFUSED",
    detail: expect.stringContaining("ResourceExhausted"),
  });
});

test("a connection that is given up in good order carries its stream to the end, and the next call goes over another", async () => {
  let following: ServerHttp2Stream | undefined;
  const node = await byHand((stream, path) => {
    begin(stream);
    if (path.endsWith("/Version")) {
      stream.end(framed(VERSION));
      following?.end(phase("2"));
      return;
    }
    following = stream;
    stream.session?.goaway(NGHTTP2_NO_ERROR);
    stream.write(framed(new Uint8Array()));
    stream.write(phase("1"));
  });
  const seen: string[] = [];
  for await (const { id } of node.events({}, signal)) {
    seen.push(id);
    if (id === "1") expect(await node.version(signal)).toMatchObject({ version: "v1.13.9" });
  }
  expect([seen, network.dialled.length]).toEqual([["1", "2"], 2]);
});

test.each([
  ["a power cut", NGHTTP2_NO_ERROR],
  ["a server that has had enough of us", NGHTTP2_ENHANCE_YOUR_CALM],
])("a connection lost in the middle of a stream, by %s, is an error for its reader", async (_, code) => {
  const node = await byHand((stream, path) => {
    if (path.endsWith("/Version")) return answerVersion(stream);
    begin(stream);
    stream.write(framed(new Uint8Array()));
    stream.write(phase("1"), () => {
      stream.session?.goaway(code);
      stream.session?.destroy();
    });
  });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const one of node.events({}, signal)) seen.push(one.id);
  })();
  expect(await failure(reading)).toMatchObject({ code: "TALOS_UNAVAILABLE", transient: true });
  expect(await node.version(signal)).toMatchObject({ version: "v1.13.9" });
});

test("an answer may come byte by byte", async () => {
  const real = await network.node("10.10.0.12", await nodeIdentity(network.real, ours, ADDRESS), { machine: { version } });
  await network.plain(ADDRESS, async (socket) => {
    const onward = await network.real.net.dial({ host: "127.0.0.1", port: real.port });
    socket.on("error", () => onward.destroy());
    socket.on("close", () => onward.destroy());
    socket.pipe(onward);
    onward.on("data", (bytes: Buffer) => {
      for (const byte of bytes) socket.write(Uint8Array.of(byte));
    });
  });
  expect(await nodes.node(ADDRESS).version(signal)).toMatchObject({ version: "v1.13.9" });
});

test("the certificate of a node says when it ends, and nothing is asked for it", async () => {
  const notAfter = new Date("2031-05-06T07:08:09Z");
  await network.node(ADDRESS, await nodeIdentity(network.real, ours, ADDRESS, { notAfter }), {});
  expect(await nodes.node(ADDRESS).certificateEnds(signal)).toBe(notAfter.getTime());
  expect(nodes.calls()).toBe(0);
});

test("a certificate cannot be read at an address without a server", async () => {
  expect(await failure(nodes.node(ADDRESS).certificateEnds(signal))).toMatchObject({ code: "TALOS_UNAVAILABLE" });
});

test("a call larger than one frame arrives whole", async () => {
  let got = 0;
  const node = await nodeThat({
    machine: {
      applyConfiguration: ({ data }) => {
        got = data.length;
        return { messages: [{}] };
      },
    },
  });
  await node.apply(MachineConfig.read("a".repeat(3 * 1024 * 1024)), "no-reboot", signal);
  expect(got).toBe(3 * 1024 * 1024);
});
