import { type Client, Code, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Metadata } from "../../../gen/common/common_pb.js";
import { State } from "../../../gen/cosi/resource/state_pb.js";
import { MachineService } from "../../../gen/machine/machine_pb.js";
import type { Clock } from "../../lib/world/world.ts";
import { answerError, type Call, callError, emptyAnswer, tooLate } from "./call-error.ts";
import type { Channel } from "./channel.ts";
import { withDeadline } from "./deadline.ts";

/** Talos' own limit for a message. */
const MAX_MESSAGE = 32 * 1024 * 1024;
export const CALL_MS = 10_000;

export interface CallOptions {
  doing: string;
  kind?: Call["kind"];
  limitMs?: number;
  signal: AbortSignal;
}

/** Calls to one node. */
export class Caller {
  readonly address: string;
  readonly channel: Channel;
  readonly machine: Client<typeof MachineService>;
  readonly state: Client<typeof State>;
  readonly #clock: Clock;
  readonly #count: () => void;

  constructor(clock: Clock, address: string, channel: Channel, count: () => void) {
    this.address = address;
    this.channel = channel;
    this.#clock = clock;
    this.#count = count;
    const transport = transportOver(channel);
    this.machine = createClient(MachineService, transport);
    this.state = createClient(State, transport);
  }

  /** One call, from the first byte to the last: a stream is read to its end inside `run`. */
  async call<T>(options: CallOptions, run: (options: { signal: AbortSignal }) => Promise<T>): Promise<T> {
    const { doing, kind = "read", limitMs = CALL_MS, signal } = options;
    const call: Call = { address: this.address, doing, kind };
    this.#count();
    try {
      // The World limits the dial; the deadline is for the answer.
      await this.channel.opened(signal);
      const answer = await withDeadline(this.#clock, limitMs, signal, (both) => run({ signal: both }));
      if (answer !== "too late") return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw callError(call, error);
    }
    // Whoever is gone without a word, after a power cut, never ends the connection.
    this.channel.forget();
    throw tooLate(call, limitMs);
  }

  /** The one message of a reply, after its own error has been looked at. */
  only<M extends { metadata?: Metadata | undefined }>(options: CallOptions, messages: readonly M[]): M {
    const call: Call = { address: this.address, doing: options.doing, kind: options.kind ?? "read" };
    const [message] = messages;
    if (message === undefined) throw emptyAnswer(call, "message");
    this.check(options, message.metadata);
    return message;
  }

  /** An error may be inside a reply that is fine otherwise. */
  check(options: CallOptions, metadata: Metadata | undefined): void {
    if (!metadata?.error) return;
    const call: Call = { address: this.address, doing: options.doing, kind: options.kind ?? "read" };
    throw answerError(call, metadata.status?.code ?? Code.Unknown, metadata.status?.message || metadata.error);
  }
}

function transportOver(channel: Channel): Transport {
  return createGrpcTransport({
    baseUrl: channel.authority,
    sessionManager: channel,
    acceptCompression: [],
    readMaxBytes: MAX_MESSAGE,
    writeMaxBytes: MAX_MESSAGE,
  });
}
