import { createHash } from "node:crypto";
import { insideUrl } from "../../kernel/internet.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { type Download, httpGet } from "../storage/http-get.ts";
import type { Job } from "./job.ts";

/** The result of a download for the job's next step; after a failure also wget's output. */
export type Fetched = { sha256: string; base64: string; size: number } | { error: string; log: string[] };

export interface Fetching {
  pollMs: number;
  /** undefined while the download is running. */
  poll(lab: Lab, job: Job, wanted: { url: string; verify: boolean }): Fetched | undefined;
}

/**
 * Downloads are not part of the state, because data in transit is not plain data. A job without a running download (its lab was restored from a
 * snapshot) starts it again.
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
      const started: { done?: Fetched } = {};
      all.set(key, started);
      httpGet(lab.world, insideUrl(lab, wanted.url), { verify: wanted.verify, signal: lab.closing }).then(
        (download) => {
          started.done = asFetched(lab, wanted.url, download);
        },
        (error: unknown) => {
          started.done = connectionProblem(lab, wanted.url, error);
        },
      );
      return undefined;
    },
  };
}

/**
 * A failed task ends with wget's last line or, where that is blank, with its exit code: so after an error response, and after the last of many
 * attempts.
 */
function asFetched(lab: Lab, url: string, download: Download): Fetched {
  const { status, reason, body } = download;
  if (status !== 200) {
    const log = [begun(lab, url), `Connecting to ${placeOf(url)}... connected.`, `${WAITED} ${status} ${reason}`];
    if (status === 401) return { error: "Username/Password Authentication Failed.", log };
    return { error: "exit code 8", log: [...log, `${timeOf(lab)} ERROR ${status}: ${reason}.`] };
  }
  return { sha256: createHash("sha256").update(body).digest("hex"), base64: body.toString("base64"), size: body.length };
}

const WAITED = "HTTP request sent, awaiting response...";

function connectionProblem(lab: Lab, url: string, error: unknown): Fetched {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? "";
  const host = new URL(url).hostname;
  const log = [begun(lab, url)];
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return { error: `wget: unable to resolve host address '${host}'`, log };
  if (/CERT/.test(code)) return { error: `ERROR: The certificate of '${host}' doesn't have a known issuer.`, log };
  const problem = PROBLEMS[code];
  if (problem !== undefined) return { error: `Connecting to ${placeOf(url)}... failed: ${problem}.`, log };
  // wget retries a slow or broken connection twenty times.
  return { error: "exit code 4", log: [...log, "Giving up."] };
}

function begun(lab: Lab, url: string): string {
  return `--${timeOf(lab)}--  ${url}`;
}

function timeOf(lab: Lab): string {
  return new Date(lab.now()).toISOString().slice(0, 19).replace("T", " ");
}

function placeOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** Errors after which wget does not retry. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Connection refused",
  EHOSTUNREACH: "No route to host",
  ENETUNREACH: "Network is unreachable",
};
