import { asTalosmithError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { type Check, check, type Finding, NotYet, type Read } from "../../engine/step.ts";
import { describeDisk } from "../../takeover/judge/describe.ts";
import type { Inventory } from "../platform.ts";
import type { VpsNodeConfig } from "./config/config-on-vps.ts";
import type { Server } from "./server.ts";
import { silentServer } from "./silent-server.ts";
import type { Site } from "./site.ts";

/** Reports all problems of servers that do not run Talos yet and are to be taken over. */
export function rescueCheck(site: Site, found: Inventory): Check {
  const { nodes } = site.env.config;
  const silent = nodes.filter(({ name }) => !found.there.has(name));
  const established = found.environment !== undefined;
  return check({
    id: "doctor/servers",
    stage: "preflight",
    title: `${nodes.length - silent.length} of ${nodes.length} servers run Talos`,
    // The step of each machine looks at the same.
    before: () => false,
    run: async (c) => (await Promise.all(silent.map((node) => findingsOn(site, node, established, c)))).flat(),
  });
}

async function findingsOn(site: Site, node: VpsNodeConfig, established: boolean, c: Read): Promise<Finding[]> {
  try {
    return goodNews(site, node, await silentServer({ site, node, established }, "silent", c));
  } catch (error) {
    c.signal.throwIfAborted();
    if (error instanceof NotYet) return [good(error.reason)];
    const why = asTalosmithError(error);
    return (why.problems.length > 0 ? why.problems : [why]).map(failed);
  }
}

function goodNews({ provider }: Site, { name }: VpsNodeConfig, server: Server): Finding[] {
  if (server.is === "elsewhere")
    return [good(`${name} runs ${server.runs}; ${provider?.name} will restart it into its rescue system`)];
  if (server.is === "talos") return [good(`${name} was restarted into Talos`)];
  return [good(`${name} can be taken over: in its rescue system, onto ${describeDisk(server.disk)}`), ...server.notes];
}

const good = (message: string): Finding => ({ level: "ok", code: "SERVER", message });

function failed({ code, message, detail, hint }: TalosmithError): Finding {
  return { level: "fail", code, message: [message, detail].filter(Boolean).join("\n"), ...(hint !== undefined && { hint }) };
}
