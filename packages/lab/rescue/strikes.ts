import { userError } from "@talosmith/lib/errors.ts";
import type { Lab, Strike } from "../kernel/kernel.ts";
import { start, stop } from "./power.ts";
import { rescueState, type Server, serverNamed } from "./state.ts";

/** Events on rented servers: power losses, and buttons of the provider's panel. */
export const strikes: Record<string, Strike> = {
  "rescue-key-changed": {
    title: "a server's rescue system is restarted with another SSH host key",
    args: ["server"],
    run: (lab, [name = ""]) => {
      const server = named(lab, name);
      server.keepsKey = false;
      intoRescue(lab, server);
    },
  },
  "rescue-entered": {
    title: "a server is started into its rescue system",
    args: ["server"],
    run: (lab, [name = ""]) => intoRescue(lab, named(lab, name)),
  },
  "rescue-left": {
    title: "a server is restarted from its own disk",
    args: ["server"],
    run: (lab, [name = ""]) => {
      const server = named(lab, name);
      delete server.next;
      start(lab, server);
    },
  },
  "server-off": {
    title: "a server loses power",
    args: ["server"],
    run: (lab, [name = ""]) => stop(lab, named(lab, name)),
  },
};

/** Keeps the login that the server had. */
function intoRescue(lab: Lab, server: Server): void {
  server.next ??= server.login ?? { keys: [], password: "" };
  start(lab, server);
}

function named(lab: Lab, name: string): Server {
  const server = serverNamed(lab, name);
  if (server) return server;
  throw userError("LAB_STRIKE", {
    message: `Unable to do this: there is no server ${name}`,
    hint: `choose among ${rescueState(lab)
      .servers.map((one) => one.name)
      .join(", ")}`,
  });
}
