import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import type { TimeService } from "../../../../gen/time/time_pb.js";
import { textsAt } from "../config/machine-config.ts";
import { at, list, word } from "../config/validate.ts";
import { type Called, callerOf, configOf, looking } from "./caller.ts";

const USUAL = "time.cloudflare.com";

/** Whom a machine asks for the time: its config's servers, or the one that Talos brings. */
export function timeServersOf(called: Called): string[] {
  const config = configOf(called);
  const documents = config?.documents.filter((document) => document.kind === "TimeSyncConfig") ?? [];
  const named = documents.flatMap(({ fields }) => list(at(fields, "ntp.servers")).map(word));
  const old = config ? textsAt(config, "machine.time.servers") : [];
  const servers = named.length > 0 ? named : old;
  return servers.length > 0 ? servers : [USUAL];
}

/** Every server in the lab's world has the right time, and machines keep it. */
function answer(context: HandlerContext, server: string) {
  if (server === "") throw new ConnectError("ntp server is required", Code.InvalidArgument);
  const now = timestampFromMs(callerOf(context).lab.world.clock.now());
  return { messages: [{ server, localtime: now, remotetime: now }] };
}

export const timeMethods: Partial<ServiceImpl<typeof TimeService>> = {
  time: (_, context) => answer(context, looking(callerOf(context), timeServersOf)[0] ?? USUAL),
  timeCheck: ({ server }, context) => answer(context, server),
};
