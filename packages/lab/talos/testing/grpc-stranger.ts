import { connect } from "node:http2";
import type { Heard } from "../../kernel/testing/fault-contract.ts";
import type { ClientIdentity } from "./configs.ts";

/** Makes one call over its own connection, and counts the frames of the response. The status is gRPC's. */
export function heardByGrpc(url: string, method: string, message: Uint8Array, identity: ClientIdentity): Promise<Heard> {
  const { certificate: cert, key } = identity;
  const session = connect(url, { rejectUnauthorized: false, cert, key });
  return new Promise((done) => {
    const parts: Buffer[] = [];
    let status: string | undefined;
    let words = "";
    const heard = () => {
      const text = Buffer.concat(parts).toString("latin1") + words;
      done({ status: status === undefined ? undefined : Number(status), text, pieces: parts.length });
      session.destroy();
    };
    const learn = (headers: Record<string, unknown>) => {
      status ??= headers["grpc-status"] as string | undefined;
      words ||= decodeURIComponent(String(headers["grpc-message"] ?? ""));
    };
    session.on("error", heard).on("close", heard);
    const stream = session.request({ ":method": "POST", ":path": method, "content-type": "application/grpc", te: "trailers" });
    stream.on("response", learn).on("trailers", learn).on("error", heard).on("end", heard);
    stream.on("data", (part: Buffer) => parts.push(part));
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([head, message]));
  });
}
