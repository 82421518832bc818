import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand, sameCommand } from "@talosmith/lib/own-command.ts";
import type { Environment } from "../environment/environment.ts";
import { definitionOf } from "../platforms/all.ts";
import type { CommandSession } from "../platforms/command-session.ts";
import type { CommandWork, OpenedWork, PlatformCommand } from "../platforms/definition.ts";
import { openEnvironment } from "../platforms/environment.ts";
import type { Inventory, Platform } from "../platforms/platform.ts";
import { type Access, openAccess } from "./access.ts";
import { runMutatingCommand } from "./mutating-command.ts";
import { warn } from "./notices.ts";
import { showPlan } from "./plan.ts";
import { type Prepared, prepare } from "./prepare.ts";
import type { Report } from "./report.ts";
import { ALL_STAGES } from "./stages.ts";

/** The flags of a platform's own command, by their names in camel case. */
type CommandFlags = Readonly<Record<string, unknown>>;

/** Runs a command that only one platform has, such as `host prepare`. */
export async function runPlatformCommand(
  session: CommandSession,
  folder: string,
  command: PlatformCommand,
  { flags, confirm }: { flags: CommandFlags; confirm(plan: Prepared): Promise<boolean> },
  report: Report,
): Promise<number> {
  const work = await command.load(flags);
  const own = ownAccess(command, work);
  return runMutatingCommand(
    session,
    folder,
    {
      command: command.name,
      ...(command.withoutLogin && { withoutLogin: true }),
      wish: { workflow: () => own.items(), stages: ALL_STAGES },
      allowRemove: [],
      confirm,
      open: (inRun, env) => own.open(inRun, env),
      nothingToDo: (env) => work.nothingToDo(env),
      done: (env, _, changing) => work.done(env, changing),
    },
    report,
  );
}

/** Shows what such a command would do. Exit code 0: nothing, 2: changes, 1: error. */
export async function planPlatformCommand(
  session: CommandSession,
  folder: string,
  command: PlatformCommand,
  flags: CommandFlags,
): Promise<number> {
  const own = ownAccess(command, await command.load(flags));
  const options = { withoutLogin: command.withoutLogin ?? false };
  const env = openEnvironment(session.world, folder, session.redactor, options);
  warn(session, env);
  const access = await own.open(session, env);
  try {
    const again = sameCommand(command.name, folder);
    const wish = { workflow: () => own.items(), stages: ALL_STAGES, again, next: [again] };
    return showPlan(session, await prepare(session, env, access, wish));
  } finally {
    access.close();
  }
}

/** The clients of the command, in place of the usual ones. */
function ownAccess(command: PlatformCommand, work: CommandWork) {
  let opened: OpenedWork | undefined;
  return {
    items: () => opened?.items() ?? [],
    open: async (session: CommandSession, env: Environment): Promise<Access> => {
      requirePlatformOf(command, env);
      const own = await work.open(session, env);
      opened = own;
      try {
        const usual = await openAccess(session, env);
        const close = () => {
          usual.close();
          own.close();
        };
        return { ...usual, platform: withoutInventory(usual.platform), calls: () => own.calls(), close };
      } catch (error) {
        own.close();
        throw error;
      }
    },
  };
}

/** A platform whose inventory is empty: such a command can run before the environment exists. */
function withoutInventory(platform: Platform): Platform {
  const nothing: Inventory = { environment: undefined, owned: [], there: new Set(), foreign: [] };
  return {
    inventory: async () => nothing,
    steps: () => [],
    checks: () => [],
    removal: () => [],
    mac: (node, environment, card) => platform.mac(node, environment, card),
    machine: (node) => platform.machine(node),
    calls: () => 0,
    close: () => platform.close(),
  };
}

function requirePlatformOf({ name }: PlatformCommand, { config, shown }: Environment): void {
  const { name: platform, commands = [] } = definitionOf(config);
  if (commands.some((command) => command.name === name)) return;
  throw userError("OTHER_PLATFORM", {
    message: `Unable to run ${name}: the platform of ${shown} is ${platform}, which has no such command`,
    hint: `go on without it:  ${ownCommand("doctor", shown)}`,
  });
}
