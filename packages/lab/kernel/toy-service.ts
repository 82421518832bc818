import type { Json } from "@talosmith/lib/json.ts";
import { answering, type Reply } from "./answer.ts";
import type { Lab, Service } from "./kernel.ts";

export interface ToyState {
  /** "what@virtual time since the start", in the order in which it happened. */
  log: string[];
}

const PORT = 7000;

/**
 * A service for tests of the kernel that records what happened when. /say/<word> answers the word; /slow/<ms> answers that much later; /boom
 * throws.
 */
export function toyService(): Service & { url(lab: Lab): string } {
  const note = (lab: Lab, what: string) => lab.state<ToyState>("toy").log.push(`${what}@${lab.now()}`);
  return {
    name: "toy",
    url: (lab) => `http://${lab.address.host(3)}:${PORT}`,
    initial: (): ToyState => ({ log: [] }),
    transitions: {
      "toy.note": (lab, data) => {
        const { what, again } = data as { what: string; again?: number };
        note(lab, what);
        if (again !== undefined) lab.schedule("toy.note", again, { what: `${what}'` } satisfies Json);
      },
      "toy.break": () => {
        throw new Error("broken on purpose");
      },
    },
    endpoints: async (lab) => [
      {
        host: lab.address.host(3),
        port: PORT,
        answer: answering(lab, {
          understand(incoming) {
            const [, verb = "", word = ""] = incoming.path.split("/");
            const arrived = lab.now();
            return {
              call: { service: "toy", site: `${incoming.method} /${verb}`, resource: word, mutating: incoming.method === "POST" },
              handle: (fault) => {
                const wait = verb === "slow" ? arrived + Number(word) - lab.now() : 0;
                if (wait > 0) return { notYet: wait };
                if (verb === "boom") throw new Error("boom");
                note(lab, fault ? `${word} with ${fault.message}` : word);
                return text(200, `${word} ${incoming.body.toString()}`);
              },
            };
          },
          refuse: (fault) => ({ ...text(fault.status, fault.message), reason: fault.message }),
          fail: (error) => text(500, String(error)),
        }),
      },
    ],
    publish: (lab) => ({ url: `http://${lab.address.host(3)}:${PORT}` }),
  };
}

function text(status: number, body: string): Reply {
  return { status, headers: { "content-type": "text/plain" }, body };
}
