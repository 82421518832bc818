import { userError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { formatMiB } from "@talosmith/lib/units.ts";
import { readContext, type Session } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";
import { definitionOf } from "../platforms/all.ts";
import { openEnvironment } from "../platforms/environment.ts";
import type { Shelf, Stored } from "../platforms/platform.ts";
import { openAccess } from "./access.ts";
import { runMutatingCommand } from "./mutating-command.ts";
import type { Prepared } from "./prepare.ts";
import type { Report } from "./report.ts";
import { ALL_STAGES } from "./stages.ts";
import type { Workflow } from "./workflow.ts";

type ImagesSession = Session & { redactor: Redactor };

/** `talosmith images`: lists the images, ISOs and templates on the hosts. */
export async function showImages(session: ImagesSession, folder: string): Promise<number> {
  const stored = await look(session, folder);
  const prunable = stored.filter((one) => isPrunable(one, false));
  session.bus.emit({
    type: "result",
    result: {
      kind: "table",
      name: "images",
      columns: [
        { key: "name", title: "image" },
        { key: "kind", title: "kind" },
        { key: "where", title: "where" },
        { key: "size", title: "size", align: "right" },
        { key: "use", title: "use" },
      ],
      rows: stored.map(rowOf),
      empty: "no images on the hosts",
      ...(prunable.length > 0 && {
        footer: [
          `${sum(prunable)} can be removed:  ${ownCommand("images", folder, "--prune")}`,
          "(other environments may still make machines from them)",
        ],
      }),
    },
  });
  return 0;
}

export interface PruneWish {
  /** Also images that this config would use for new machines. */
  all: boolean;
  confirm(plan: Prepared): Promise<boolean>;
}

/** `talosmith images --prune`: removes images that this config does not use and no machine depends on. */
export async function pruneImages(session: ImagesSession, folder: string, wish: PruneWish, report: Report): Promise<number> {
  const stored = await look(session, folder);
  const doomed = stored.filter((one) => isPrunable(one, wish.all));
  const prune: Workflow = ({ env, platform }) => doomed.map((one) => shelfOf(env, platform.shelf).removal(one));
  return runMutatingCommand(
    session,
    folder,
    {
      command: "images --prune",
      wish: { workflow: prune, stages: ALL_STAGES },
      allowRemove: [],
      confirm: wish.confirm,
      nothingToDo: () =>
        stored.length === 0
          ? "there are no images on the hosts"
          : `nothing to remove: all ${stored.length} are in use${stored.some(({ usersUnknown }) => usersUnknown) ? ", or their use is not known" : ""}`,
      done: (env, results) => {
        const gone = results.filter((one) => one.outcome === "changed").length;
        return { summary: `${gone} of ${stored.length} removed`, next: [ownCommand("images", env.shown)] };
      },
    },
    report,
  );
}

async function look(session: ImagesSession, folder: string): Promise<Stored[]> {
  const env = openEnvironment(session.world, folder, session.redactor);
  const access = await openAccess(session, env);
  try {
    return await shelfOf(env, access.platform.shelf).list(readContext(session, "images", new Map(), new Map()));
  } finally {
    access.close();
  }
}

function shelfOf(env: Environment, shelf: Shelf | undefined): Shelf {
  if (shelf) return shelf;
  throw userError("NOTHING_STORED", {
    message: `${definitionOf(env.config).name} stores no images`,
    hint: "its machines are installed directly, so there are no images to show or remove",
  });
}

const isPrunable = ({ users, usersUnknown, wanted }: Stored, all: boolean) =>
  users.length === 0 && usersUnknown === undefined && (all || !wanted);

function rowOf(one: Stored): Record<string, Json> {
  const { name, kind, where, bytes, wanted, users, usersUnknown, detail } = one;
  const use = [...(wanted ? ["this config"] : []), ...users, ...(usersUnknown === undefined ? [] : [usersUnknown])].join(", ");
  return { name, kind, where, size: inMiB(bytes), use: use || "not used here", bytes, wanted, users: [...users], ...detail };
}

function sum(stored: readonly Stored[]): string {
  return `${stored.length} of them, ${inMiB(stored.reduce((bytes, one) => bytes + one.bytes, 0))},`;
}

function inMiB(bytes: number): string {
  return formatMiB(Math.ceil(bytes / 1024 ** 2));
}
