import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { MachineService } from "@talosmith/wire/gen/machine/machine_pb.js";
import { type TalosDisk, talosState } from "../state.ts";
import { type Called, callerOf, changing } from "./caller.ts";

const LARGEST_KEY = 255;

/** The disk with META. A machine that runs in memory keeps its values only until it goes down. */
function diskOf({ lab, boot }: Called): TalosDisk | undefined {
  return boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk];
}

function judge(key: number): void {
  if (key > LARGEST_KEY) throw new ConnectError("key must be a uint8", Code.InvalidArgument);
}

/** The partition META, which holds a few values by number. */
export const metaMethods: Partial<ServiceImpl<typeof MachineService>> = {
  metaWrite: ({ key, value }, context) => {
    judge(key);
    return changing(callerOf(context), (called) => {
      const disk = diskOf(called);
      if (disk) disk.meta = { ...disk.meta, [key]: Buffer.from(value).toString() };
      return { messages: [{}] };
    });
  },
  metaDelete: ({ key }, context) => {
    judge(key);
    return changing(callerOf(context), (called) => {
      const disk = diskOf(called);
      if (disk?.meta?.[key] === undefined) throw new ConnectError("meta key not found", Code.NotFound);
      delete disk.meta[key];
      return { messages: [{}] };
    });
  },
};
