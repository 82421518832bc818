import type { Dial, Listener, Net } from "./world.ts";

/** A network that connects only what listens in it. */
export interface ClosedNet extends Net {
  /** Addresses that were refused because nothing in this network has them: "192.0.2.1:443". */
  readonly refused: readonly string[];
}

/**
 * A network in which only its own listeners can be dialled: every other connection is refused before the system sees it, those to other programs of this
 * computer included, which could lead anywhere. `isInside`: an address that belongs to this network, where nothing listens at the moment; a client sees a
 * machine without that service. `outside`: the error for everything else.
 */
export function closedNet(net: Net, isInside: (host: string) => boolean, outside: (place: string) => Error): ClosedNet {
  const listening = new Set<string>();
  const refused: string[] = [];
  const opened = async (opening: Promise<Listener>): Promise<Listener> => {
    const listener = await opening;
    const place = placeOf(listener);
    listening.add(place);
    const close = () => {
      listening.delete(place);
      return listener.close();
    };
    return { host: listener.host, port: listener.port, close };
  };
  const refuse = (place: string): Error => {
    refused.push(place);
    return outside(place);
  };
  return {
    refused,
    async dial(to, signal) {
      if (to.over || listening.has(placeOf(to))) return net.dial(to, signal);
      throw isInside(to.host) ? nothingListens(to) : refuse(placeOf(to));
    },
    dialFile: async (path) => {
      throw refuse(path);
    },
    serve: (at, answer) => opened(net.serve(at, answer)),
    listen: (at, accept) => opened(net.listen(at, accept)),
    serveOn: (stream, answer) => net.serveOn(stream, answer),
  };
}

const placeOf = ({ host, port }: Pick<Dial, "host" | "port">) => `${host}:${port}`;

/** As the system answers for a free port. */
function nothingListens(to: Dial): Error {
  const { host, port } = to;
  return Object.assign(new Error(`connect ECONNREFUSED ${placeOf(to)}`), {
    code: "ECONNREFUSED",
    syscall: "connect",
    address: host,
    port,
  });
}
