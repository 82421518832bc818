import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import type { PacketCaptureRequest } from "@talosmith/wire/gen/machine/machine_pb.js";
import { changeOrMoment } from "../bell.ts";
import { linksOf } from "../resources/links.ts";
import { callerOf, looking } from "./caller.ts";

const ETHERNET = 1;
const USUAL_LENGTH = 4096;

/** A capture file without packets, because the lab has none. It continues until the client stops. */
export async function* packetCapture({ interface: name, snapLen }: PacketCaptureRequest, context: HandlerContext) {
  const caller = callerOf(context);
  const known = looking(caller, ({ machine }) => linksOf(machine).some((link) => link.name === name));
  if (!known) throw new ConnectError(`interface ${JSON.stringify(name)} not found`, Code.NotFound);
  yield { bytes: fileHeader(snapLen || USUAL_LENGTH) };
  while (!context.signal.aborted && !caller.lab.closing.aborted) await changeOrMoment(caller.lab, context.signal);
}

/** The header of libpcap: magic number, version 2.4, two unused numbers, the maximum packet size, the link type. */
function fileHeader(longest: number): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(longest, 16);
  header.writeUInt32LE(ETHERNET, 20);
  return header;
}
