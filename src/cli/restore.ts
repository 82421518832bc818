import { userError } from "@talosmith/lib/errors.ts";
import type { Command } from "commander";
import { type S3Flags, s3Options, s3Wishes } from "./backup.ts";
import { type CommonFlags, collect, command } from "./flags.ts";

interface RestoreFlags extends CommonFlags, S3Flags {
  identity: string[];
  passphraseFile?: string;
  replace?: boolean;
  yes?: boolean;
  list?: boolean;
}

const EXAMPLES = `  talosmith restore /mnt/usb/env-homelab-20261116T154500Z.tar.gz.age environments/homelab --identity key.txt
  talosmith restore s3://bucket/homelab/env-homelab-20261116T154500Z.tar.gz.age environments/homelab --identity key.txt
  talosmith restore --list s3://bucket/homelab                                 what is there

Everything is checked before anything changes. A folder that is there is kept under another name; one that is newer than the backup, or
has other secrets, is replaced only with --replace. It brings back the folder, not what ran in the cluster.`;

export function restoreCommand(): Command {
  const made = command("restore", "Bring an environment's folder back from a backup.", EXAMPLES)
    .argument("<backup>", "a file, or s3://bucket/key; with --list a folder, or s3://bucket/prefix")
    .argument("[environment]", "the environment's folder")
    .option("--identity <file>", "a file with the secret key of age that opens it (repeatable)", collect, [])
    .option("--passphrase-file <file>", "a file with the passphrase that opens it")
    .option("--replace", "put it in the place of a folder that is newer, or has other secrets")
    .option("-y, --yes", "do not ask")
    .option("--list", "only list the backups in a folder or a bucket");
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
          message: "Where to restore it to was not said",
          hint: `talosmith restore ${from} environments/NAME`,
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
