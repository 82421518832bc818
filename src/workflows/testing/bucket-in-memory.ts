import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { duplexPair } from "node:stream";
import { realNet } from "@talosmith/lib/world/net.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { bytesOf } from "../../../test/support/streams.ts";

/** The environment variables of a user of the bucket. */
export const BUCKET_ENV = {
  AWS_ACCESS_KEY_ID: "access",
  AWS_SECRET_ACCESS_KEY: "very secret key",
  AWS_ENDPOINT_URL: "http://s3.test",
};

const STAMP = "2026-11-16T00:00:00.000Z";

/** An S3 server without sockets. Its objects, by "bucket/key", can be changed behind the program's back. */
export function bucketInMemory() {
  const objects = new Map<string, { body: Buffer; modified?: string }>();
  const connections: { closed: boolean }[] = [];
  let requests = 0;
  let refuses = false;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    requests++;
    const { pathname, searchParams } = new URL(request.url ?? "", "http://s3.test");
    const name = decodeURIComponent(pathname.slice(1));
    const body = await bytesOf(request);
    if (refuses) return response.writeHead(403).end();
    if (request.method === "PUT") {
      objects.set(name, { body });
      return response.end();
    }
    if (searchParams.has("list-type")) {
      const found = [...objects].filter(([one]) => one.startsWith(`${name}${searchParams.get("prefix")}`));
      const all = found.map(
        ([
          key,
          {
            body: { length },
            modified = STAMP,
          },
        ]) =>
          `<Contents><Key>${key.slice(name.length)}</Key><Size>${length}</Size><LastModified>${modified}</LastModified></Contents>`,
      );
      return response.end(`<ListBucketResult>${all.join("")}</ListBucketResult>`);
    }
    const object = objects.get(name);
    return response.writeHead(object ? 200 : 404).end(object?.body);
  };
  const dial = async () => {
    const [client, server] = duplexPair();
    const connection = { closed: false };
    connections.push(connection);
    client.on("close", () => {
      connection.closed = true;
    });
    realNet.serveOn(server, (request, response) => void answer(request, response));
    const idle = {
      setKeepAlive: () => client,
      setTimeout: () => client,
      setNoDelay: () => client,
      ref: () => client,
      unref: () => client,
    };
    return Object.assign(client, idle) as unknown as Socket;
  };
  return {
    objects,
    /** From now on the server refuses everything. */
    refuse: () => {
      refuses = true;
    },
    requests: () => requests,
    /** Whether all connections were given back. */
    isClosed: () => connections.length > 0 && connections.every(({ closed }) => closed),
    inside: (world: World): World => ({ ...world, net: { ...world.net, dial } }),
  };
}
