import { userError } from "@talosmith/lib/errors.ts";
import type { Lab, Strike } from "../kernel/kernel.ts";
import { start, stop } from "./power.ts";
import { rescueState, type Server, serverNamed } from "./state.ts";

/** What befalls rented servers, and what people press in a provider's panel. */
export const strikes: Record<string, Strike> = {
  "rescue-key-changed": {
    title: "a server's rescue system is started anew, and has another SSH host key",
    args: ["server"],
    run: (lab, [name = ""]) => {
      const server = named(lab, name);
      server.keepsKey = false;
      intoRescue(lab, server);
    },
  },
  "rescue-entered": {
    title: "somebody starts a server into its rescue system",
    args: ["server"],
    run: (lab, [name = ""]) => intoRescue(lab, named(lab, name)),
  },
  "rescue-left": {
    title: "somebody restarts a server from its own disk",
    args: ["server"],
    run: (lab, [name = ""]) => {
      const server = named(lab, name);
      delete server.next;
      start(lab, server);
    },
  },
  "server-off": {
    title: "a server loses its power",
    args: ["server"],
    run: (lab, [name = ""]) => stop(lab, named(lab, name)),
  },
};

/** Those who could log in still can. */
function intoRescue(lab: Lab, server: Server): void {
  server.next ??= server.login ?? { keys: [], password: "" };
  start(lab, server);
}

function named(lab: Lab, name: string): Server {
  const server = serverNamed(lab, name);
  if (server) return server;
  throw userError("LAB_STRIKE", {
    message: `Unable to let that happen: there is no server ${name}`,
    hint: `choose among ${rescueState(lab)
      .servers.map((one) => one.name)
      .join(", ")}`,
  });
}
