import { isTest, type SourceFile, type Violation } from "./source-file.ts";
import { tokens } from "./tokens.ts";

const COMMANDS = [
  ...[
    "abandon",
    "backup",
    "demo",
    "doctor",
    "down",
    "host",
    "images",
    "import",
    "init",
    "lab (?:start|stop|status|fault)",
    "node",
  ],
  ...[
    "outputs",
    "plan",
    "rehearse",
    "reset",
    "restore",
    "runbook",
    "runs",
    "secrets",
    "start",
    "status",
    "stop",
    "support",
    "tunnel",
  ],
  ...["unlock", "up", "verify"],
];

/** A command spelled in a text. Exempt are words about its work: "made by talosmith backup", "a file that talosmith backup made". */
const SPELLED = new RegExp(`(?<!\\b(?:by|for|how|that|What|of) [\\x60\\\\]*)\\btalosmith (?:${COMMANDS.join("|")})\\b`);

/** Texts of help, whose lines are examples: "  talosmith up environments/homelab". */
const EXAMPLES = /^(src\/cli\/|src\/platforms\/\w+\/host\/command\.ts$)/;
const EXAMPLE_LINE = /(?:^|\\n) {2}talosmith /m;

/** Texts that are no advice to the one who runs this process: descriptions of keys, files for CI, the notes of a VM. */
const NOT_ADVICE =
  /^src\/(config\/schema\/|platforms\/\w+\/config\/schema\/|workflows\/ci-recipe\.ts$|platforms\/proxmox\/mark\.ts$)/;

/** Suggested commands that cannot be pasted, since they lack the name that this process was started with and the flags of its command. */
export function spelledCommands({ path, text }: SourceFile): Violation[] {
  if (isTest(path) || NOT_ADVICE.test(path)) return [];
  return tokens(text).flatMap(({ kind, text: said, line }) => {
    const found = kind === "string" || kind === "template" ? SPELLED.exec(said)?.[0] : undefined;
    if (found === undefined || (EXAMPLES.test(path) && EXAMPLE_LINE.test(said))) return [];
    return [{ path, line, message: `"${found}": use ownCommand or sameCommand of packages/lib/own-command.ts` }];
  });
}
