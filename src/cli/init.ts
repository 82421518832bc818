import { type Command, InvalidArgumentError, Option } from "commander";
import { PLATFORMS } from "../platforms/all.ts";
import type { PlatformDefinition } from "../platforms/definition.ts";
import type { InitWishes } from "../platforms/init-answers.ts";
import { type CommonFlags, command } from "./flags.ts";
import { platformCalled, platformNames } from "./platform-choice.ts";
import { addPlatformFlags, refuseOtherFlags } from "./platform-flags.ts";

interface InitFlags extends CommonFlags, InitWishes {
  yes?: boolean;
  force?: boolean;
  minimal?: boolean;
  ci?: "github" | "gitlab";
}

const ABOUT_AT = 55;

/** Examples with an explanation first, then those with many flags. */
function examples(): string {
  const all = PLATFORMS.flatMap(({ name, init }) =>
    init.examples.map(({ args, about }) => ({ line: `  talosmith init ${name} ${args}`, about })),
  );
  const explained = all.flatMap(({ line, about }) => (about === undefined ? [] : [`${line.padEnd(ABOUT_AT - 1)} ${about}`]));
  const bare = all.flatMap(({ line, about }) => (about === undefined ? [line] : []));
  return `${[...explained, ...bare].join("\n")}

Without a terminal, or with --yes, it asks nothing and contacts no server: values not given are those of environments/*-example,
and values that only you can know are marked REPLACE_ME in the file.`;
}

export function initCommand(): Command {
  const flags = PLATFORMS.map(({ name, init }) => ({ name, flags: init.flags }));
  const init = command("init", "Create an environment: a folder with a commented config.yaml.", examples())
    .argument("<platform>", platformNames(), platformCalled)
    .argument("<folder>", "the folder to create, such as environments/homelab")
    .option("--name <name>", "name of the cluster (default: the folder's)")
    .option("--talos <version>", "Talos release")
    .option("--endpoint <address>", "address or DNS name of the Kubernetes API")
    .addOption(new Option("--cni <cni>", "pod network").choices(["flannel", "cilium", "none"]))
    .option("--cidr <network>", "network of the nodes")
    .option("--gateway <address>", "gateway of that network")
    .option("--control-planes <count>", "number of control planes", count)
    .option("--workers <count>", "number of workers", count);
  return addPlatformFlags(init, flags)
    .option("--minimal", "write only what is needed, without comments: talosmith explain describes every key")
    .addOption(new Option("--ci <system>", "write a recipe for CI, too: plan, up and drift check").choices(["github", "gitlab"]))
    .option("-y, --yes", "do not ask questions")
    .option("--force", "replace an existing config.yaml")
    .action(async (platform: PlatformDefinition, folder: string, given: InitFlags, self: Command) => {
      refuseOtherFlags(self, { name: platform.name, flags: platform.init.flags }, flags);
      const { inSession } = await import("./session.ts");
      const { runInit } = await import("./init-run.ts");
      await inSession(given, (session) => runInit(session, platform, folder, given));
    });
}

function count(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0 || number > 100)
    throw new InvalidArgumentError("It must be a whole number from 0 to 100.");
  return number;
}
