import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import type { TimeService } from "@talosmith/wire/gen/time/time_pb.js";
import { textsAt } from "../config/machine-config.ts";
import { at, list, word } from "../config/validate.ts";
import { type Called, callerOf, configOf, looking } from "./caller.ts";

const USUAL = "time.cloudflare.com";

/** A machine's time servers: those of its config, or Talos's default. */
export function timeServersOf(called: Pick<Called, "boot">): string[] {
  const config = configOf(called);
  const documents = config?.documents.filter((document) => document.kind === "TimeSyncConfig") ?? [];
  const named = documents.flatMap(({ fields }) => list(at(fields, "ntp.servers")).map(word));
  const old = config ? textsAt(config, "machine.time.servers") : [];
  const servers = named.length > 0 ? named : old;
  return servers.length > 0 ? servers : [USUAL];
}

/** Every time server in the lab is right, and machines follow it, except after a strike. */
function answer(context: HandlerContext, asked?: string) {
  if (asked === "") throw new ConnectError("ntp server is required", Code.InvalidArgument);
  const { lab } = callerOf(context);
  const { off, server, isWrong } = looking(callerOf(context), (called) => {
    const servers = timeServersOf(called);
    const { clock } = called.machine;
    const off = clock && clock.servers.join() === servers.join() ? clock.offMs : 0;
    const server = asked ?? servers[0] ?? USUAL;
    return { off, server, isWrong: clock?.servers.includes(server) === true };
  });
  const now = lab.world.clock.now();
  return {
    messages: [{ server, localtime: timestampFromMs(now + off), remotetime: timestampFromMs(now + (isWrong ? off : 0)) }],
  };
}

export const timeMethods: Partial<ServiceImpl<typeof TimeService>> = {
  time: (_, context) => answer(context),
  timeCheck: ({ server }, context) => answer(context, server),
};
