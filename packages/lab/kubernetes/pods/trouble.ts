/** Why a connection from a pod failed; the message is a Go program's. */
export class NetworkTrouble extends Error {
  constructor(
    readonly is: "refused" | "unreachable" | "unresolved" | "dns-silent" | "dns-refused",
    readonly to: { host: string; port?: number },
  ) {
    super(words(is, to));
  }
}

function words(is: NetworkTrouble["is"], { host, port }: NetworkTrouble["to"]): string {
  switch (is) {
    case "refused":
      return `dial tcp ${host}:${port}: connect: connection refused`;
    case "unreachable":
      return `dial tcp ${host}:${port}: i/o timeout`;
    case "unresolved":
      return `dial tcp: lookup ${host}: no such host`;
    case "dns-silent":
      return `dial tcp: lookup ${host}: i/o timeout`;
    case "dns-refused":
      return `dial tcp: lookup ${host}: connect: connection refused`;
  }
}
