import { afterEach, expect, test } from "vitest";
import { closedNet } from "./closed-net.ts";
import { realNet } from "./net.ts";
import type { Listener } from "./world.ts";

const listeners: Listener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((one) => one.close()));
});

const closed = () =>
  closedNet(
    realNet,
    (host) => host.startsWith("127.99.1."),
    (place) => new Error(`outside: ${place}`),
  );

/** A server that counts connections, opened past the closed network. */
async function neighbour() {
  const met = { connections: 0, port: 0 };
  const listener = await realNet.listen({ host: "127.0.0.1", port: 0 }, (socket) => {
    met.connections++;
    socket.end("leaked");
  });
  listeners.push(listener);
  return Object.assign(met, { port: listener.port });
}

test("its own listeners can be dialled, as long as they listen", async () => {
  const net = closed();
  const listener = await net.listen({ host: "127.99.1.1", port: 0 }, (socket) => socket.end("here"));
  const { host, port } = listener;
  const socket = await net.dial({ host, port });
  expect(String(await socket.toArray().then(Buffer.concat))).toBe("here");
  await listener.close();
  await expect(net.dial({ host, port })).rejects.toMatchObject({ code: "ECONNREFUSED" });
  expect(net.refused).toEqual([]);
});

test("another program of this computer is refused before it sees a connection, and so is every other address", async () => {
  const net = closed();
  const other = await neighbour();
  await expect(net.dial({ host: "127.0.0.1", port: other.port })).rejects.toThrow(`outside: 127.0.0.1:${other.port}`);
  await expect(net.dial({ host: "192.0.2.1", port: 443 })).rejects.toThrow("outside: 192.0.2.1:443");
  await expect(net.dial({ host: "factory.talos.dev", port: 443 })).rejects.toThrow("outside");
  await expect(net.dialFile("/run/ssh-agent")).rejects.toThrow("outside: /run/ssh-agent");
  expect(other.connections).toBe(0);
  expect(net.refused).toEqual([`127.0.0.1:${other.port}`, "192.0.2.1:443", "factory.talos.dev:443", "/run/ssh-agent"]);
});

test("an inside address where nothing of its own listens is refused without asking the system, where another program may listen", async () => {
  const stranger = await realNet.listen({ host: "127.99.1.1", port: 0 }, (socket) => socket.end("leaked"));
  listeners.push(stranger);
  await expect(closed().dial({ host: "127.99.1.1", port: stranger.port })).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
