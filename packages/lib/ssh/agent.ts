import type { Socket } from "node:net";
import ssh2 from "ssh2";
import type { World } from "../world/world.ts";

/** The user's SSH agent, reached through the World. */
export class Agent extends ssh2.OpenSSHAgent {
  readonly #world: World;
  readonly #path: string;

  constructor(world: World, path: string) {
    super(path);
    this.#world = world;
    this.#path = path;
  }

  /** The library calls this for every request to the agent. */
  override getStream(answer: (error: Error | null, stream?: Socket) => void): void {
    this.#world.net.dialFile(this.#path).then(
      (socket) => answer(null, socket),
      (error: Error) => answer(error),
    );
  }
}
