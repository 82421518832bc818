import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Command } from "commander";
import { processTerminal } from "../views/terminal.ts";
import { plainCommand } from "./flags.ts";

const EXAMPLES = `  talosmith runbook              all pages
  talosmith runbook NODE_SILENT  what the error means, how to find the cause and how to fix it`;

export function runbookCommand(): Command {
  return plainCommand("runbook", "Print the page about an error or finding.", EXAMPLES)
    .argument("[code]", "the code of the error, or the name of the page", "README")
    .action(async (code: string) => {
      const { inSession } = await import("./session.ts");
      await inSession({}, async () => {
        processTerminal("stdout").write(await pageOf(code));
        return 0;
      });
    });
}

async function pageOf(code: string): Promise<string> {
  const { RUNBOOKS, runbookFile, runbookOf } = await import("../views/runbooks.ts");
  const { shippedFile } = await import("@talosmith/lib/world/platform.ts");
  const name = code.toUpperCase();
  const page = shippedFile(runbookFile(runbookOf(name) ?? name));
  if (page !== undefined) return page;
  const { nearest } = await import("../config/nearest.ts");
  const near = nearest(name, RUNBOOKS);
  throw userError("NO_RUNBOOK", {
    message: `There is no runbook for ${code}`,
    hint: `${near === undefined ? "" : `did you mean ${near}? `}to list them:  ${ownCommand("runbook")}`,
  });
}
