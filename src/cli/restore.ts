import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Command } from "commander";
import { type S3Flags, s3Options, s3Wishes } from "./backup.ts";
import { type CommonFlags, command, repeatable } from "./flags.ts";

interface RestoreFlags extends CommonFlags, S3Flags {
  identity: string[];
  passphraseFile?: string;
  replace?: boolean;
  yes?: boolean;
  list?: boolean;
}

const EXAMPLES = `  talosmith restore /mnt/usb/env-homelab-20261116T154500Z.tar.gz.age environments/homelab --identity key.txt
  talosmith restore s3://bucket/homelab/env-homelab-20261116T154500Z.tar.gz.age environments/homelab --identity key.txt
  talosmith restore --list s3://bucket/homelab                                 lists the backups there

Everything is checked before anything changes. An existing folder is kept under another name; one that is newer than the backup, or
has other secrets, is replaced only with --replace. Only the folder is restored, not what ran in the cluster.`;

export function restoreCommand(): Command {
  const made = command("restore", "Restore an environment's folder from a backup.", EXAMPLES, "accepted")
    .argument("<backup>", "a file, or s3://bucket/key; with --list a folder, or s3://bucket/prefix")
    .argument("[environment]", "the environment's folder");
  repeatable(made, "--identity <file>", "file with an age secret key that opens the backup")
    .option("--passphrase-file <file>", "file with the passphrase of the backup")
    .option("--replace", "replace a folder that is newer than the backup or has other secrets")
    .option("-y, --yes", "do not ask")
    .option("--list", "only list the backups in a folder or bucket");
  return s3Options(made).action(async (from: string, folder: string | undefined, flags: RestoreFlags) => {
    const { inSession } = await import("./session.ts");
    if (flags.list) {
      const { listBackupsIn } = await import("../workflows/backup-list.ts");
      return inSession(flags, (session) => listBackupsIn(session, from, s3Wishes(flags)));
    }
    const { restore } = await import("../workflows/restore.ts");
    const { typePassphrase } = await import("./passphrase.ts");
    const { agreeToAll } = await import("./agree.ts");
    await inSession(flags, (session) => {
      if (folder === undefined)
        throw userError("USAGE", {
          message: "No target folder given",
          hint: `name it:  ${ownCommand("restore", from, "environments/NAME")}`,
        });
      const { identity, passphraseFile } = flags;
      const wishes = {
        identityFiles: identity,
        s3: s3Wishes(flags),
        replace: flags.replace ?? false,
        confirm: () => agreeToAll(`This writes ${folder}`, flags, session.signal),
        ...(passphraseFile && { passphraseFile }),
      };
      return restore(session, from, folder, wishes, typePassphrase(flags, session.signal));
    });
  });
}
