import type { Image, Process, Visit } from "../pods/program.ts";
import { NetworkTrouble } from "../pods/trouble.ts";
import { curl } from "./curl.ts";

/** The image of Kubernetes's own tests: small servers, curl, and nslookup of bind-tools. */
export const agnhost: Image = {
  name: "agnhost",
  pullMs: 3000,
  entrypoint: ["/agnhost"],
  tools: ["curl", "nslookup"],
  program: (run) => {
    const [command = "", ...args] = run.argv;
    switch (command.replace(/^.*\//, "")) {
      case "agnhost":
        return serve(run);
      case "curl":
        return curl(run, args);
      case "nslookup":
        return nslookup(run, args);
      default:
        run.log(`exec: ${JSON.stringify(command)}: executable file not found in $PATH`);
        return Promise.resolve(127);
    }
  },
  answers: ({ argv, hostname, port, path }) => {
    const server = serverOf(argv);
    if (server?.port !== port) return undefined;
    return server.paths.includes(path.replace(/\?.*$/, "")) || server.anyPath
      ? { status: 200, body: hostname }
      : { status: 404, body: "404 page not found\n" };
  },
};

/** Those of its servers that answer with the name of their pod. */
function serverOf([, command = "", ...flags]: Visit["argv"]) {
  const flag = (name: string, otherwise: number) => {
    const at = flags.findIndex((word) => word === name || word.startsWith(`${name}=`));
    const word = flags[at] ?? "";
    return at < 0 ? otherwise : Number(word.includes("=") ? word.slice(name.length + 1) : flags[at + 1]);
  };
  if (command === "netexec")
    return { port: flag("--http-port", 8080), paths: ["/", "/hostname", "/hostName", "/healthz"], anyPath: false };
  if (command === "serve-hostname") return { port: flag("--port", 9376), paths: [], anyPath: true };
  return undefined;
}

async function serve(run: Process): Promise<number | "stays"> {
  const [, command = "pause"] = run.argv;
  const server = serverOf(run.argv);
  if (server) run.log(command === "netexec" ? `Started HTTP server on port ${server.port}` : `Serving on port ${server.port}.`);
  else if (command === "pause") run.log("Paused");
  else {
    run.log(`Error: unknown command ${JSON.stringify(command)} for "app"`);
    return 1;
  }
  return "stays";
}

const TIMEOUT_S = 5;
const TRIES = 3;

/** bind's nslookup: one query with options for time-out and retries; exit code 1 when there is no answer. */
async function nslookup(run: Process, args: readonly string[]): Promise<number> {
  const option = (name: string, otherwise: number) =>
    Number(args.find((arg) => arg.startsWith(`-${name}=`))?.replace(/^.*=/, "") ?? otherwise);
  const name = args.find((arg) => !arg.startsWith("-")) ?? "";
  for (let left = Math.max(1, option("retry", TRIES)); ; left--) {
    try {
      const found = await run.resolve(name);
      run.log(`Server:\t\t${found.server}\nAddress:\t${found.server}#53\n\nName:\t${found.name}\nAddress: ${found.address}`);
      return 0;
    } catch (error) {
      if (!(error instanceof NetworkTrouble)) throw error;
      if (error.is === "unresolved") {
        run.log(`** server can't find ${name.replace(/\.$/, "")}: NXDOMAIN`);
        return 1;
      }
      // It retries only when there is no response.
      if (error.is === "dns-refused") {
        run.log(";; no servers could be reached");
        return 1;
      }
      await run.sleep(option("timeout", TIMEOUT_S) * 1000);
      if (left > 1) continue;
      run.log(";; connection timed out; no servers could be reached");
      return 1;
    }
  }
}
