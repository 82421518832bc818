import { messageOf } from "@talosmith/lib/errors.ts";
import type { PodAnswer, Process } from "../pods/program.ts";
import { NetworkTrouble } from "../pods/trouble.ts";

const WITH_VALUE: Readonly<Record<string, string>> = {
  "--cacert": "cacert",
  "--connect-timeout": "connectTimeout",
  "--max-time": "maxTime",
  "-m": "maxTime",
  "--retry": "retry",
  "--retry-delay": "retryDelay",
  "--retry-max-time": "retryMaxTime",
  "--output": "output",
  "-o": "output",
  "--write-out": "writeOut",
  "-w": "writeOut",
  "--header": "header",
  "-H": "header",
};
const PLAIN = ["--silent", "-s", "--show-error", "-S", "-sS", "--fail", "-f", "--retry-all-errors", "--retry-connrefused"];

interface CurlArguments {
  url: string;
  values: Record<string, string>;
  fails: boolean;
}

interface Failure {
  code: number;
  message: string;
  /** Time spent when there was no response. */
  waitedMs: number;
}

/** curl with the features that probes use: one URL, retries, time-outs, a CA. Its exit codes and messages are curl's. */
export async function curl(run: Process, args: readonly string[]): Promise<number> {
  const asked = understood(args);
  if (typeof asked === "string") return told(run, 2, asked);
  const { values } = asked;
  const seconds = (name: string, otherwise: number) => Number(values[name] ?? otherwise);
  const started = run.now();
  for (let left = seconds("retry", 0); ; left--) {
    const answer = await ask(run, asked);
    if (!("message" in answer)) return show(run, asked, answer);
    await run.sleep(answer.waitedMs);
    const inTime = run.now() - started < seconds("retryMaxTime", Number.POSITIVE_INFINITY) * 1000;
    if (left <= 0 || !inTime) return told(run, answer.code, answer.message);
    run.log(`curl: (${answer.code}) ${answer.message}`);
    await run.sleep(seconds("retryDelay", 1) * 1000);
  }
}

function understood(args: readonly string[]): CurlArguments | string {
  const values: Record<string, string> = {};
  let url = "";
  let fails = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    const name = WITH_VALUE[word];
    if (name !== undefined) values[name] = args[++at] ?? "";
    else if (!word.startsWith("-")) url = word;
    else if (!PLAIN.includes(word)) return `option ${word}: is unknown`;
    if (word === "--fail" || word === "-f") fails = true;
  }
  return url === "" ? "no URL specified" : { url, values, fails };
}

async function ask(run: Process, { url, values, fails }: CurlArguments): Promise<PodAnswer | Failure> {
  const ca = values.cacert === undefined ? undefined : run.files[values.cacert];
  if (values.cacert !== undefined && ca === undefined)
    return { code: 77, message: `error setting certificate file: ${values.cacert}`, waitedMs: 0 };
  const [name = "", ...value] = (values.header ?? "").split(":");
  const headers = values.header === undefined ? {} : { [name]: value.join(":").trim() };
  try {
    const answer = await run.fetch(url, { headers, ...(ca !== undefined && { ca }) });
    if (!fails || answer.status < 400) return answer;
    return { code: 22, message: `The requested URL returned error: ${answer.status}`, waitedMs: 0 };
  } catch (error) {
    run.signal.throwIfAborted();
    return failure(error, new URL(url), Number(values.connectTimeout ?? values.maxTime ?? 120) * 1000);
  }
}

function failure(error: unknown, url: URL, patienceMs: number): Failure {
  const port = url.port || (url.protocol === "https:" ? 443 : 80);
  const place = `${url.hostname} port ${port}`;
  if (!(error instanceof NetworkTrouble)) {
    const why = messageOf(error);
    return /certificate|self.signed|CERT/i.test(why)
      ? { code: 60, message: `SSL certificate problem: ${why}`, waitedMs: 0 }
      : { code: 7, message: `Failed to connect to ${place}: ${why}`, waitedMs: 0 };
  }
  switch (error.is) {
    case "refused":
      return { code: 7, message: `Failed to connect to ${place} after 0 ms: Could not connect to server`, waitedMs: 0 };
    case "unreachable":
      return { code: 28, message: `Connection timed out after ${patienceMs} milliseconds`, waitedMs: patienceMs };
    case "unresolved":
    case "dns-refused":
      return { code: 6, message: `Could not resolve host: ${url.hostname}`, waitedMs: 0 };
    case "dns-silent":
      return { code: 6, message: `Could not resolve host: ${url.hostname}`, waitedMs: patienceMs };
  }
}

function told(run: Process, code: number, message: string): number {
  run.log(`curl: (${code}) ${message}`);
  return code;
}

function show(run: Process, { values }: CurlArguments, { status, body }: PodAnswer): number {
  const text = values.output === undefined ? body.toString("utf8") : "";
  const after = (values.writeOut ?? "").replaceAll("%{http_code}", String(status)).replaceAll("\\n", "\n");
  const all = `${text}${after}`.replace(/\n$/, "");
  if (all !== "") run.log(all);
  return 0;
}
