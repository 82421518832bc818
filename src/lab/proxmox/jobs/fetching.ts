import { createHash } from "node:crypto";
import { insideUrl } from "../../kernel/internet.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { type Download, httpGet } from "../storage/http-get.ts";
import type { Job } from "./job.ts";

/** What a download came to, as the job's next step finds it. */
export type Fetched = { sha256: string; base64: string; size: number } | { error: string };

export interface Fetching {
  pollMs: number;
  /** undefined while it is under way. */
  poll(lab: Lab, job: Job, wanted: { url: string; verify: boolean }): Fetched | undefined;
}

/**
 * Downloads live outside the state, because bytes on their way are no data. A job that finds nobody downloading for it
 * (its lab was restored from a snapshot) simply begins again.
 */
export function createFetching(pollMs: number): Fetching {
  const underWay = new WeakMap<Lab, Map<string, { done?: Fetched }>>();
  return {
    pollMs,
    poll(lab, job, wanted) {
      const all = underWay.get(lab) ?? new Map<string, { done?: Fetched }>();
      underWay.set(lab, all);
      const key = `${job.id} ${wanted.url}`;
      const known = all.get(key);
      if (known) {
        if (known.done) all.delete(key);
        return known.done;
      }
      const begun: { done?: Fetched } = {};
      all.set(key, begun);
      httpGet(lab.world, insideUrl(lab, wanted.url), { verify: wanted.verify, signal: lab.closing }).then(
        (download) => {
          begun.done = asFetched(lab, download);
        },
        (error: unknown) => {
          begun.done = { error: connectionProblem(wanted.url, error) };
        },
      );
      return undefined;
    },
  };
}

/** The last line of wget's complaints, which is what Proxmox shows. */
function asFetched(lab: Lab, download: Download): Fetched {
  if (download.status !== 200) {
    const at = new Date(lab.now()).toISOString().slice(0, 19).replace("T", " ");
    return { error: `${at} ERROR ${download.status}: ${download.reason}.` };
  }
  return {
    sha256: createHash("sha256").update(download.body).digest("hex"),
    base64: download.body.toString("base64"),
    size: download.body.length,
  };
}

function connectionProblem(url: string, error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? "";
  const { hostname, port, protocol } = new URL(url);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `wget: unable to resolve host address '${hostname}'`;
  const where = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  const problem = PROBLEMS[code];
  // A connection that breaks in the middle is tried twenty times.
  return problem === undefined ? "Giving up." : `Connecting to ${where}... failed: ${problem}.`;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Connection refused",
  EHOSTUNREACH: "No route to host",
  ENETUNREACH: "Network is unreachable",
  ETIMEDOUT: "Connection timed out",
};
