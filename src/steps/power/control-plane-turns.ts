import { remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import type { Read } from "../../engine/step.ts";
import type { Owned } from "../../platforms/platform.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";

/** Longer than all the others can take together. */
const QUEUE_MS = 24 * 3_600_000;

/**
 * Control planes are switched off one at a time, and the leader of etcd last: so etcd has its quorum as long as possible, and the member that goes last has
 * everything that was written.
 */
export class ControlPlaneTurns {
  readonly #talos: TalosNodes;
  /** The control planes that are not off, as far as they were observed. */
  readonly #on = new Set<string>();
  #going: string | undefined;

  constructor(talos: TalosNodes) {
    this.#talos = talos;
  }

  saw({ name }: Owned, isOff: boolean): void {
    if (isOff) this.#on.delete(name);
    else this.#on.add(name);
  }

  /** Resolves when it is this machine's turn, and keeps the others waiting until `end`. */
  async begin(owned: Owned, c: Read): Promise<void> {
    await c.until({
      name: `it is ${owned.name}'s turn`,
      timeoutMs: QUEUE_MS,
      poll: async (read) => {
        requireNoFailure(owned, read);
        if (this.#going !== undefined && this.#going !== owned.name) return { reason: `${this.#going} goes first` };
        const others = [...this.#on].filter((name) => name !== owned.name);
        if (others.length > 0 && (await this.#leads(owned, c.signal)))
          return { reason: `it leads etcd and goes last, after ${others.join(", ")}` };
        // Another one may have begun or failed meanwhile.
        requireNoFailure(owned, read);
        if (this.#going !== undefined && this.#going !== owned.name) return { reason: `${this.#going} goes first` };
        this.#going = owned.name;
        return true;
      },
    });
  }

  end({ name }: Owned): void {
    if (this.#going === name) this.#going = undefined;
  }

  /** A member that does not answer is not the leader: a leader without a quorum steps down. */
  async #leads({ address }: Owned, signal: AbortSignal): Promise<boolean> {
    try {
      const { id, leader } = await this.#talos.node(address).etcdStatus(signal);
      return leader === id;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TalosmithError) return false;
      throw error;
    }
  }
}

function requireNoFailure({ name }: Owned, c: Read): void {
  const failed = c.failed();
  if (failed === undefined) return;
  throw remoteError("KEPT_RUNNING", {
    message: `${name} was left running: ${failed} failed`,
    hint: "repair what failed, then run the same command again",
  });
}
