import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Lab, WebEndpoint } from "../../kernel/kernel.ts";
import { authorize } from "../access/authorize.ts";
import type { RouteCall } from "../api/handle.ts";
import { ApiError, badRequest } from "../api/status.ts";
import { type Connection, connectionTo } from "../exec/connection.ts";
import { spdyChannels, webSocketChannels } from "../streams/channels.ts";
import { servePortForward } from "../streams/port-forward.ts";
import { SpdySession } from "../streams/spdy.ts";
import { acceptKey, MessageSocket } from "../streams/websocket.ts";
import { answerApi, answerStreaming } from "./answer.ts";

const CHANNELS = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const FORWARDING = "portforward.k8s.io";
const TUNNELLED = `SPDY/3.1+${FORWARDING}`;

/** Handles requests that change the protocol of their connection: exec, attach and port-forward. All others are answered normally. */
export function upgradeApi(lab: Lab, key: string): NonNullable<WebEndpoint["upgrade"]> {
  const answer = answerApi(lab, key);
  return (request, response, takeOver) => {
    if (!/\/pods\/[^/]+\/(exec|attach|portforward)(\?|$)/.test(request.url ?? "")) return answer(request, response);
    answerStreaming(lab, key, request, response, (asked) => {
      const handshake = negotiate(asked, request);
      const connection = connectionTo(asked);
      return () => {
        response.statusCode = 101;
        const { socket, head } = takeOver();
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${handshake.headers.join("\r\n")}\r\n\r\n`);
        serve(handshake, connection, socket, head);
      };
    });
  };
}

interface Handshake {
  by: "websocket" | "spdy";
  headers: string[];
}

/** From 1.35 on, a WebSocket request needs the rights of a POST, although it is a GET. */
function negotiate(asked: RouteCall, { headers }: IncomingMessage): Handshake {
  const { cluster, user, target } = asked;
  const isForward = target.subresource === "portforward";
  const key = headers["sec-websocket-key"];
  const listed = (text: string | string[] | undefined) => [text ?? []].flat().flatMap((line) => line.split(/,\s*/));
  if (headers.upgrade?.toLowerCase() === "websocket" && key !== undefined) {
    if (Number(/^v1\.(\d+)/.exec(cluster.settings.kubernetes)?.[1]) >= 35) {
      const { resource, namespace, name, subresource } = target;
      authorize(cluster, user, {
        verb: "create",
        group: resource.group,
        resource: resource.resource,
        ...(subresource !== undefined && { subresource }),
        ...(namespace !== undefined && { namespace }),
        ...(name !== undefined && { name }),
      });
    }
    const protocol = listed(headers["sec-websocket-protocol"]).find((it) => (isForward ? [TUNNELLED] : CHANNELS).includes(it));
    if (protocol === undefined) throw badRequest("unable to upgrade: no supported WebSocket subprotocol was requested");
    const more = [`Upgrade: websocket`, `Sec-WebSocket-Accept: ${acceptKey(key)}`, `Sec-WebSocket-Protocol: ${protocol}`];
    return { by: "websocket", headers: more };
  }
  if (headers.upgrade?.toLowerCase() !== "spdy/3.1") throw badRequest("Upgrade request required");
  const offered = listed(headers["x-stream-protocol-version"]);
  const protocol = isForward ? FORWARDING : "v4.channel.k8s.io";
  if (!offered.includes(protocol)) {
    const why = `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(" ")}], server accepts [${protocol}]`;
    throw new ApiError(403, "Forbidden", why);
  }
  return { by: "spdy", headers: ["Upgrade: SPDY/3.1", `X-Stream-Protocol-Version: ${protocol}`] };
}

function serve({ by }: Handshake, connection: Connection, socket: Duplex, head: Buffer) {
  if (by === "spdy") {
    const session = new SpdySession(
      (bytes) => void socket.write(bytes),
      () => socket.destroy(),
    );
    socket.on("close", () => {
      session.end();
      connection.lost();
    });
    begin(connection, session, () => socket.end());
    if (head.length > 0) session.receive(head);
    socket.on("data", (part: Buffer) => session.receive(part));
    return;
  }
  const web = new MessageSocket(socket, head);
  if (connection.is === "command") {
    web.onClose = () => connection.lost();
    return webSocketChannels(web, connection.wanted, connection.run);
  }
  const session = new SpdySession(
    (bytes) => web.send(bytes),
    () => socket.destroy(),
  );
  web.onMessage = (message) => session.receive(message);
  web.onClose = () => {
    session.end();
    connection.lost();
  };
  begin(connection, session, () => web.close());
}

function begin(connection: Connection, session: SpdySession, hangUp: () => void): void {
  if (connection.is === "forward") servePortForward(session, connection.pod);
  else spdyChannels(session, connection.wanted, connection.run, hangUp);
}
