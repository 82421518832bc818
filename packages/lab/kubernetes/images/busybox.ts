import { messageOf } from "@talosmith/lib/errors.ts";
import type { Image, Process } from "../pods/program.ts";

/** sh -c with simple commands joined by && and ;, limited to commands that tests and charts use. */
export const busybox: Image = {
  name: "busybox",
  pullMs: 2000,
  entrypoint: [],
  cmd: ["sh"],
  tools: ["wget"],
  program: async (run) => {
    const [command, flag, script] = run.argv;
    if (/^(\/bin\/)?sh$/.test(command ?? "")) return flag === "-c" && script !== undefined ? shell(run, script) : 0;
    return execute(run, run.argv);
  },
};

async function shell(run: Process, script: string): Promise<number> {
  let code = 0;
  for (const [, operator = "", text = ""] of script.matchAll(/(^|&&|\|\||;|\n)\s*((?:"[^"]*"|'[^']*'|[^;&|\n"'])*)/g)) {
    if (text.trim() === "" || (operator === "&&" && code !== 0) || (operator === "||" && code === 0)) continue;
    const words = [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
    const argv = words.map((word) => word.replace(/\$\{?(\w+)\}?/g, (_, name: string) => run.env[name] ?? ""));
    if (argv[0] === "exit") return Number(argv[1] ?? code);
    code = await execute(run, argv);
  }
  return code;
}

async function execute(run: Process, argv: readonly string[]): Promise<number> {
  const [command = "", ...args] = argv;
  switch (command.replace(/^.*\//, "")) {
    case "true":
    case ":":
      return 0;
    case "false":
      return 1;
    case "echo":
      run.log(args.join(" "));
      return 0;
    case "env":
      for (const [name, value] of Object.entries(run.env)) run.log(`${name}=${value}`);
      return 0;
    case "cat":
      return cat(run, args);
    case "sleep":
      await run.sleep(seconds(args[0] ?? "0") * 1000);
      return 0;
    case "wget":
      return wget(run, args);
    default:
      run.log(`sh: ${command}: not found`);
      return 127;
  }
}

function seconds(text: string): number {
  const [, count = "0", unit = "s"] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text) ?? [];
  if (text === "infinity") return 10 * 365 * 86_400;
  return Number(count) * ({ "": 1, s: 1, m: 60, h: 3600, d: 86_400 }[unit] ?? 1);
}

function cat(run: Process, paths: readonly string[]): number {
  for (const path of paths) {
    const content = run.files[path];
    if (content === undefined) {
      run.log(`cat: can't open '${path}': No such file or directory`);
      return 1;
    }
    run.log(content.replace(/\n$/, ""));
  }
  return 0;
}

async function wget(run: Process, args: readonly string[]): Promise<number> {
  const url = args.find((arg) => /^https?:/.test(arg)) ?? "";
  try {
    const answer = await run.fetch(url);
    if (answer.status >= 400) {
      run.log(`wget: server returned error: HTTP/1.1 ${answer.status}`);
      return 1;
    }
    run.log(answer.body.toString("utf8").replace(/\n$/, ""));
    return 0;
  } catch (error) {
    run.log(`wget: ${messageOf(error)}`);
    return 1;
  }
}
