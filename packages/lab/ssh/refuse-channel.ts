import type { Connection } from "ssh2";

/** RFC 4254, section 5.1. */
export const PROHIBITED = 1;
export const CONNECT_FAILED = 2;

/** The library's `reject` sends neither a reason nor a text, and clients tell one refusal from another by them. */
export function refuseChannel(connection: Connection, reject: () => void, reason: number, why: string): void {
  const { _protocol: protocol } = connection as unknown as { _protocol: Failing };
  const fail = protocol.channelOpenFail;
  protocol.channelOpenFail = (channel) => fail.call(protocol, channel, reason, why);
  try {
    reject();
  } finally {
    protocol.channelOpenFail = fail;
  }
}

interface Failing {
  channelOpenFail(this: Failing, channel: number, reason?: number, why?: string): void;
}
