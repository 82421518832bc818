import { type Command, InvalidArgumentError, Option } from "commander";
import type { PlatformFlag } from "../platforms/platform-flag.ts";
import { repeatable } from "./flags.ts";

interface FlagsOf {
  /** Printed before the help text of each flag; may be empty. */
  name: string;
  flags: readonly PlatformFlag[];
}

/** Adds the flags of platforms. A flag that several platforms have becomes one option, which accepts the values of all of them. */
export function addPlatformFlags(to: Command, platforms: readonly FlagsOf[]): Command {
  const all = platforms.flatMap(({ name, flags }) => flags.map((flag) => ({ name, flag })));
  for (const long of new Set(all.map(({ flag }) => nameOf(flag)))) {
    const same = all.filter(({ flag }) => nameOf(flag) === long);
    const about = same.map(({ name, flag }) => (name === "" ? flag.about : `${name}: ${flag.about}`)).join("; ");
    const [first] = same;
    if (first?.flag.many === "repeatable") repeatable(to, first.flag.flags, about);
    else if (first !== undefined)
      to.addOption(
        optionOf(
          first.flag,
          about,
          same.map(({ flag }) => flag),
        ),
      );
  }
  return to;
}

const nameOf = ({ flags }: PlatformFlag) => new Option(flags).name();

function optionOf({ flags, many, default: usual }: PlatformFlag, about: string, same: readonly PlatformFlag[]): Option {
  const option = new Option(flags, about);
  if (same.every(({ choices }) => choices !== undefined)) option.choices(same.flatMap(({ choices = [] }) => choices));
  else if (many === "separated") option.argParser((text: string) => text.split(","));
  else if (!option.isBoolean()) option.argParser((text: string) => checked(text, same));
  if (usual !== undefined) option.default(usual);
  return option;
}

function checked(text: string, same: readonly PlatformFlag[]): string {
  const wrong = same.map(({ check }) => check?.(text));
  const [first] = wrong;
  if (first !== undefined && wrong.every((one) => one !== undefined)) throw new InvalidArgumentError(first);
  return text;
}

/** Ends the command when a flag was given that only other platforms have: it would be ignored. */
export function refuseOtherFlags(command: Command, platform: FlagsOf, all: readonly FlagsOf[]): void {
  const own = new Set(platform.flags.map(nameOf));
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli");
  for (const option of given) {
    const owners = all.filter(({ flags }) => flags.some((flag) => nameOf(flag) === option.name())).map(({ name }) => name);
    if (owners.length === 0 || own.has(option.name())) continue;
    const uses = owners.map((name) => `"${command.name()} ${name}"`).join(" or ");
    command.error(
      `error: option ${option.long} is for ${owners.join(" and ")}, not for ${platform.name}: remove it, or use ${uses}`,
    );
  }
}
