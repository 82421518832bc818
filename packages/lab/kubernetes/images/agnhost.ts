import type { Image, Process, Visit } from "../pods/program.ts";
import { curl } from "./curl.ts";
import { nslookup } from "./nslookup.ts";

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
