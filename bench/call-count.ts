import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import type { Endpoint, Recorded, RunningLab, Service } from "@talosmith/lab/kernel/kernel.ts";
import type { World } from "@talosmith/lib/world/world.ts";

/** The caller: a talosmith command, or the lab's own programs (Helm in the cluster, Proxmox downloading an image). */
const OTHERS = "the lab itself";

/** Every call a lab receives, with its caller: the owner of the connection. */
export class CallCount {
  readonly #callers = new Map<number, string>();
  readonly #answering = new AsyncLocalStorage<string>();
  readonly #calls: (Recorded & { by: string })[] = [];

  /** The world for a caller: connections dialled in it belong to that caller. */
  caller(name: string, world: World): World {
    return {
      ...world,
      net: {
        ...world.net,
        dial: async (to, signal) => {
          const socket = await world.net.dial(to, signal);
          if (socket.localPort !== undefined) this.#callers.set(socket.localPort, name);
          return socket;
        },
      },
    };
  }

  watched(service: Service): Service {
    const watch = (endpoint: Endpoint): Endpoint =>
      "accept" in endpoint
        ? endpoint
        : {
            ...endpoint,
            answer: (request, response) =>
              this.#answering.run(this.#callers.get(portOf(request)) ?? OTHERS, () => endpoint.answer(request, response)),
          };
    return {
      ...service,
      endpoints: async (lab) => (await service.endpoints(lab)).map(watch),
      ...(service.behind && { behind: (lab, door) => watch((service as Required<Service>).behind(lab, door)) }),
    };
  }

  watch(lab: RunningLab, changing: () => void): void {
    const begin = lab.recorder.begin.bind(lab.recorder);
    lab.recorder.begin = (call) => {
      const recorded = begin(call);
      this.#calls.push(Object.assign(recorded, { by: this.#answering.getStore() ?? OTHERS }));
      if (call.mutating) changing();
      return recorded;
    };
  }

  by(caller: string): readonly Recorded[] {
    return this.#calls.filter((call) => call.by === caller);
  }

  others(): readonly Recorded[] {
    return this.by(OTHERS);
  }
}

function portOf(request: IncomingMessage): number {
  const over = (request as { stream?: { session?: { socket?: { remotePort?: number } } } }).stream?.session?.socket;
  return over?.remotePort ?? request.socket.remotePort ?? 0;
}
