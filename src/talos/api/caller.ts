import type { X509Certificate } from "node:crypto";
import { type Client, Code, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Clock } from "@talosmith/lib/world/world.ts";
import type { Metadata } from "@talosmith/wire/gen/common/common_pb.js";
import { State } from "@talosmith/wire/gen/cosi/resource/state_pb.js";
import { MachineService } from "@talosmith/wire/gen/machine/machine_pb.js";
import { StorageService } from "@talosmith/wire/gen/storage/storage_pb.js";
import { TimeService } from "@talosmith/wire/gen/time/time_pb.js";
import { answerError, type Call, callError, emptyAnswer, tooLate, unreadable } from "./call-error.ts";
import type { Channel } from "./channel.ts";
import { SilenceWatch, withDeadline } from "./deadline.ts";
import { type CallKind, LIMIT_MS } from "./limits.ts";
import { wasNotTaken } from "./reason.ts";

/** Talos' own limit for a message. */
const MAX_MESSAGE = 32 * 1024 * 1024;

export interface CallOptions {
  doing: string;
  /** "read" when absent. */
  kind?: CallKind;
  signal: AbortSignal;
}

/** Calls to one node. */
export class Caller {
  readonly address: string;
  readonly channel: Channel;
  readonly machine: Client<typeof MachineService>;
  readonly state: Client<typeof State>;
  readonly storage: Client<typeof StorageService>;
  readonly time: Client<typeof TimeService>;
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
    this.storage = createClient(StorageService, transport);
    this.time = createClient(TimeService, transport);
  }

  /** One call, from the first byte to the last: a stream that ends by itself is read to its end inside `run`. */
  async call<T>(options: CallOptions, run: (options: { signal: AbortSignal }) => Promise<T>): Promise<T> {
    const { signal } = options;
    const call = this.#call(options);
    this.#count();
    const attempt = async () => {
      // The World limits the dial; the deadline is for the response.
      await this.channel.opened(signal);
      return withDeadline(this.#clock, LIMIT_MS[call.kind], signal, (both) => run({ signal: both }));
    };
    try {
      const answer = await attempt().catch((error) => {
        if (signal.aborted || !wasNotTaken(error)) throw error;
        this.channel.forget();
        return attempt();
      });
      if (answer !== "too late") return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw callError(call, error);
    }
    // A node that lost power never closes the connection.
    this.channel.forget();
    throw tooLate(call);
  }

  /** The certificate that the node presented; makes no call. */
  async certificate(signal: AbortSignal): Promise<X509Certificate | undefined> {
    try {
      return await this.channel.peerCertificate(signal);
    } catch (error) {
      signal.throwIfAborted();
      throw callError(this.#call({ doing: "read the certificate", signal }), error);
    }
  }

  /**
   * A stream that runs while it is read. When the reader stops or aborts, it ends on the node too. `greets`: its first message confirms the stream,
   * and must arrive in time. `steady`: so must every other one.
   */
  async *stream<M>(
    options: CallOptions & { greets: boolean; steady?: boolean },
    open: (options: { signal: AbortSignal }) => AsyncIterable<M>,
  ): AsyncGenerator<M, void, undefined> {
    const { signal, greets, steady } = options;
    const call = this.#call({ kind: "stream", ...options });
    const enough = new AbortController();
    const silence = steady ? new SilenceWatch(this.#clock, LIMIT_MS[call.kind], () => enough.abort()) : undefined;
    this.#count();
    try {
      await this.channel.opened(signal);
      const messages = open({ signal: AbortSignal.any([signal, enough.signal]) })[Symbol.asyncIterator]();
      let next = greets ? await this.#first(call, messages, enough, signal) : await messages.next();
      while (!next.done) {
        yield next.value;
        silence?.waiting();
        next = await messages.next();
        silence?.heard();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!silence?.isOver) throw callError(call, error);
      this.channel.forget();
      throw tooLate(call);
    } finally {
      silence?.end();
      enough.abort();
    }
  }

  async #first<M>(call: Call, messages: AsyncIterator<M>, enough: AbortController, signal: AbortSignal) {
    const first = await withDeadline(this.#clock, LIMIT_MS[call.kind], signal, (both) => {
      both.addEventListener("abort", () => enough.abort(both.reason), { once: true });
      return messages.next();
    });
    if (first !== "too late") return first;
    this.channel.forget();
    throw tooLate(call);
  }

  /** The only message of a reply, after a check for the error inside it. */
  only<M extends { metadata?: Metadata | undefined }>(options: CallOptions, messages: readonly M[]): M {
    const [message] = messages;
    if (message === undefined) throw emptyAnswer(this.#call(options), "message");
    this.check(options, message.metadata);
    return message;
  }

  /** An error may be inside a reply that is fine otherwise. */
  check(options: CallOptions, metadata: Metadata | undefined): void {
    if (!metadata?.error) return;
    const { status, error } = metadata;
    throw answerError(this.#call(options), status?.code ?? Code.Unknown, status?.message || error);
  }

  /** Decodes a message, which a newer Talos or another server may have sent. */
  decoded<T>(options: CallOptions, decode: () => T): T {
    try {
      return decode();
    } catch (error) {
      throw unreadable(this.#call(options), error);
    }
  }

  #call({ doing, kind = "read" }: CallOptions): Call {
    return { address: this.address, doing, kind };
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
