import type { Secret } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Config } from "../config/config.ts";
import type { WorkItem } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import type { CommandSession, PlatformSession } from "./command-session.ts";
import type { InitWishes } from "./init-answers.ts";
import type { PlatformLab } from "./lab.ts";
import type { Inventory, Platform } from "./platform.ts";
import type { PlatformFlag } from "./platform-flag.ts";
import type { Questions } from "./questions.ts";

/**
 * Everything the rest of the program asks of a platform, except its config (`configs.ts`). A definition is data and short words; what it does is behind import(), so that
 * a command loads only the platform it needs, and `--help` none.
 */
export interface PlatformDefinition {
  /** The value of `platform` in a config. */
  readonly name: string;
  /** Opens an environment's infrastructure; nothing is dialled yet. */
  open(world: World, env: Environment, talos: TalosNodes): Promise<Platform>;
  readonly words: PlatformWords;
  readonly init: PlatformInit;
  /**
   * Completes a config in which only something in the platform's own section is wrong, by what the infrastructure shows of itself and
   * the user confirms. False: it is wrong in another way.
   */
  trustOnFirstUse?(session: PlatformSession, folder: string, problems: readonly string[], ask?: Asking): Promise<boolean>;
  /** Commands that only this platform has. */
  readonly commands?: readonly PlatformCommand[];
  /** Files of the support bundle. */
  supportParts?(world: World, env: Environment): Promise<SupportPart[]>;
  /** Absent where the lab cannot simulate this platform. */
  readonly lab?: PlatformLab;
}

/** Asks the user; undefined when the user cancels. */
export type Asking = (question: string) => Promise<string | undefined>;

/** Texts of shared commands that differ by platform. */
interface PlatformWords {
  /** Names the infrastructure in headings: "proxmox 192.0.2.10". */
  heading(config: Config): string;
  /** State of a node without a machine: "silent" where the machine may exist and only does not answer. */
  readonly notFound: "missing" | "silent";
  /** The result of `down`: "3 machines removed." */
  takenDown(machines: string): string;
  /** Things that `down` keeps besides the folder, each with how to remove it. */
  kept?(env: Environment, found: Inventory): readonly string[];
  /** How a person prepares a machine before `up` can make it a node; absent where `up` makes machines. */
  readonly beforeUp?: string;
  /** Why `up` replaces machines here and `node replace` cannot. */
  readonly replacedByUp?: string;
}

/** `talosmith init`. */
interface PlatformInit {
  /** For its help: a folder and flags, and what the line is good for. */
  readonly examples: readonly { args: string; about?: string }[];
  readonly flags: readonly PlatformFlag[];
  /** The text of a new config. Without `ask` nothing is contacted: what was not given is as in the example, or blank. */
  write(session: PlatformSession, folder: string, wishes: InitWishes, ask?: Questions): Promise<NewConfig>;
  /** Commands to run before `doctor`, by what the new config still lacks. */
  next?(lacking: readonly string[]): string[];
}

export interface NewConfig {
  text: string;
  /** A secret kept in a file of its own beside the config. */
  keep?: { name: string; secret: Secret };
}

/** A command of one platform: planned, shown, confirmed and run like every command that changes something. */
export interface PlatformCommand {
  /** As it is typed: "host prepare". */
  readonly name: string;
  /** Describes the group that the first word names. */
  readonly group: string;
  readonly about: string;
  readonly examples: string;
  readonly flags: readonly PlatformFlag[];
  /** Help of --yes. */
  readonly yes: string;
  /** Says what a person agrees to: "This is done as root on your hosts". */
  readonly question: string;
  /** It creates the login, so it must run without one. */
  readonly withoutLogin?: true;
  load(flags: Readonly<Record<string, unknown>>): Promise<CommandWork>;
}

export interface CommandWork {
  /** Finds out everything that the plan depends on. */
  open(session: CommandSession, env: Environment): Promise<OpenedWork>;
  nothingToDo(env: Environment): string;
  done(env: Environment, changing: boolean): { summary: string; next: string[] };
}

export interface OpenedWork {
  items(): WorkItem[];
  /** How many calls it took so far. */
  calls(): number;
  close(): void;
}

/** One file of the support bundle. */
export interface SupportPart {
  /** "nodes/cp-1.txt" */
  name: string;
  /** For a person: "the last 5 runs". */
  about: string;
  /** Rejects with the reason if it cannot be read. */
  read(signal: AbortSignal): Promise<string> | string;
}
