import { join, resolve } from "node:path";
import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import { TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Redactor, Secret } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { loadConfig } from "../config/load.ts";
import { CONFIG_FILE, configNames } from "../config/spellings/spelling.ts";
import type { Session } from "../engine/context.ts";
import { keepCopy } from "../environment/copies.ts";
import { lockEnvironment } from "../environment/lock.ts";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";
import { metalExample } from "../platforms/metal/config/example.ts";
import { proxmoxExample } from "../platforms/proxmox/config/example/proxmox.ts";
import { vpsExample } from "../platforms/vps/config/example.ts";
import type { InitWishes } from "./init-answers.ts";
import { givenMetal, interviewForMetal } from "./init-metal.ts";
import { givenProxmox, interviewForProxmox } from "./init-proxmox.ts";
import type { Questions } from "./init-questions.ts";
import { givenVps, interviewForVps } from "./init-vps.ts";

type InitSession = Session & { redactor: Redactor };
export type InitPlatform = "proxmox" | "metal" | "vps";

/** `talosmith init`: a folder with a commented config.yaml, from answers or from flags alone. */
export async function initEnvironment(
  session: InitSession,
  platform: InitPlatform,
  folder: string,
  wishes: InitWishes & { force: boolean },
  ask?: Questions,
): Promise<number> {
  const { world } = session;
  const file = join(folder, CONFIG_FILE);
  refuseToOverwrite(world, folder, wishes.force);
  const { text, keep } = await writtenFor(session, platform, folder, wishes, ask);
  makeFolderDurably(world.files, folder, 0o700);
  const absolute = resolve(folder);
  const lock = lockEnvironment(world, absolute, "init");
  try {
    // Somebody may have been quicker.
    refuseToOverwrite(world, folder, wishes.force);
    keepCopy(world, absolute, file);
    if (keep !== undefined) writeDurably(world.files, join(folder, keep.name), `${keep.secret.reveal()}\n`);
    writeDurably(world.files, file, text);
  } finally {
    lock.release();
  }
  const left = leftToDo(session, folder);
  session.bus.emit({
    type: "result",
    result: {
      kind: "facts",
      name: "init",
      title: `${file} is written`,
      facts: left.map(({ where, message }, index) => ({
        key: `todo-${index + 1}`,
        label: where === undefined ? "to do" : `line ${where.line}`,
        value: message,
      })),
      next: [
        ...(left.some(({ message }) => message.includes("PROXMOX_TOKEN"))
          ? ["export PROXMOX_TOKEN='user@realm!name=secret'"]
          : []),
        `talosmith doctor ${folder}`,
        `talosmith plan ${folder}`,
      ],
    },
  });
  return 0;
}

async function writtenFor(
  session: InitSession,
  platform: InitPlatform,
  folder: string,
  wishes: InitWishes,
  ask: Questions | undefined,
): Promise<{ text: string; keep?: { name: string; secret: Secret } }> {
  if (platform === "metal")
    return { text: metalExample(await (ask ? interviewForMetal(session, folder, wishes, ask) : givenMetal(folder, wishes))) };
  if (platform === "vps")
    return { text: vpsExample(await (ask ? interviewForVps(session, folder, wishes, ask) : givenVps(folder, wishes))) };
  const { answers, keep } = await (ask ? interviewForProxmox(session, folder, wishes, ask) : givenProxmox(folder, wishes));
  return { text: proxmoxExample(answers), ...(keep && { keep }) };
}

function refuseToOverwrite(world: World, folder: string, force: boolean): void {
  const there = configNames(world.files, folder);
  const other = there.filter((name) => name !== CONFIG_FILE);
  if (other.length > 0)
    throw userError("FILE_EXISTS", {
      message: `${folder} has a config already: ${there.join(", ")}`,
      hint: `it is understood as it is; to go on in one ${CONFIG_FILE}:\n  talosmith import ${folder}`,
    });
  if (there.length > 0 && !force)
    throw userError("FILE_EXISTS", {
      message: `Unable to write ${join(folder, CONFIG_FILE)}: it exists already`,
      hint: "choose another folder, or add --force to replace it. Nothing was changed.",
    });
}

/** What the file itself says is missing: the blanks, and references that lead nowhere yet. */
function leftToDo({ world, redactor }: InitSession, folder: string): readonly TalosmithError[] {
  try {
    loadConfig(PLATFORM_CONFIGS, world, folder, redactor);
    return [];
  } catch (error) {
    if (error instanceof TalosmithError && error.kind === "user") return error.problems;
    throw error;
  }
}
