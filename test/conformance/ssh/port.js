import { connect, createServer } from "node:net";

/** A port of 127.0.0.1 that was free a moment ago. */
export function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

export async function untilListening(port, host = "127.0.0.1") {
  for (let tries = 0; tries < 200; tries++) {
    const open = await new Promise((done) => {
      const socket = connect(port, host, () => done(true)).on("error", () => done(false));
      socket.once("connect", () => socket.destroy());
    });
    if (open) return;
    await new Promise((later) => setTimeout(later, 50));
  }
  throw new Error(`nobody listens on ${host}:${port}`);
}
