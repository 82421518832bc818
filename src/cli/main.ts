import { processTerminal } from "../views/terminal.ts";
import { VERSION } from "./version.ts";

const args = process.argv.slice(2);

// --version loads no command.
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  processTerminal("stdout").write(`talosmith ${VERSION}\n`);
} else {
  // A single binary cannot contain a top-level await.
  void import("./program.ts").then(({ run }) => run(args));
}
