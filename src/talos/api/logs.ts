import type { Data } from "@talosmith/wire/gen/common/common_pb.js";
import { ContainerDriver } from "@talosmith/wire/gen/common/common_pb.js";
import type { Caller, CallOptions } from "./caller.ts";
import type { TalosNode } from "./talos-node.ts";

/** A quiet log sends nothing, like a slow node; a dead node is detected by the connection. */
const QUIET = { kind: "stream", greets: false } as const;

export function logCalls(caller: Caller): Pick<TalosNode, "logs" | "dmesg"> {
  return {
    logs: ({ service, tail = -1, follow = false }, signal) => {
      const options = { ...QUIET, doing: `read the log of ${service}`, signal };
      const request = { namespace: "system", driver: ContainerDriver.CONTAINERD, id: service, tailLines: tail, follow };
      return linesOf(chunksOf(caller, options, (both) => caller.machine.logs(request, both)));
    },
    async *dmesg({ fresh = false, follow = false }, signal) {
      const options = { ...QUIET, doing: "read the kernel's log", signal };
      const chunks = chunksOf(caller, options, (both) => caller.machine.dmesg({ tail: fresh, follow }, both));
      // Each message is a line, with or without its end.
      for await (const bytes of chunks) yield new TextDecoder().decode(bytes).replace(/\n$/, "");
    },
  };
}

async function* chunksOf(
  caller: Caller,
  options: CallOptions & { greets: boolean },
  open: (both: { signal: AbortSignal }) => AsyncIterable<Data>,
): AsyncGenerator<Uint8Array> {
  for await (const { metadata, bytes } of caller.stream(options, open)) {
    caller.check(options, metadata);
    yield bytes;
  }
}

/** Messages end anywhere, in the middle of a character too. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of chunks) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
