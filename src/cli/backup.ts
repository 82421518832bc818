import type { S3Wishes } from "@talosmith/lib/s3/target.ts";
import { type Command, Option } from "commander";
import { type CommonFlags, command, ENVIRONMENT, repeatable } from "./flags.ts";
import { VERSION } from "./version.ts";

interface BackupFlags extends CommonFlags, S3Flags {
  to?: string;
  recipient: string[];
  recipientsFile?: string;
  newKey?: string;
  passphraseFile?: string;
  outside?: boolean;
  list?: boolean;
}

const EXAMPLES = `  talosmith backup environments/homelab --new-key backup-key.txt               creates a key; later its public key is enough:
  talosmith backup environments/homelab --recipient age1… --to /mnt/usb/      to a folder
  talosmith backup environments/homelab --recipient age1… --to s3://bucket/homelab --s3-endpoint https://s3.example.com
  talosmith backup environments/homelab                                        asks for a passphrase
  talosmith backup environments/homelab --list                                 lists the backups made so far

The backup is one encrypted file; age -d FILE | tar -xz opens it as well. It contains the folder with secrets.yaml, but no etcd data: nothing
that runs in the cluster. The passphrase can be set in TALOSMITH_PASSPHRASE, access keys for S3 in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;

export interface S3Flags {
  s3Endpoint?: string;
  s3Region?: string;
  s3Style?: "path" | "host";
  s3Ca?: string;
}

export function s3Options(to: Command): Command {
  return to
    .option("--s3-endpoint <url>", "the S3 server (default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, else Amazon)")
    .option("--s3-region <name>", "the bucket's region (default: AWS_REGION, AWS_DEFAULT_REGION, else us-east-1)")
    .addOption(
      new Option("--s3-style <style>", "where the bucket's name goes: into the path or the host name").choices(["path", "host"]),
    )
    .option("--s3-ca <file>", "CA certificates for the S3 server (default: AWS_CA_BUNDLE, else the system's)");
}

export function s3Wishes({ s3Endpoint, s3Region, s3Style, s3Ca }: S3Flags): S3Wishes {
  return {
    ...(s3Endpoint && { endpoint: s3Endpoint }),
    ...(s3Region && { region: s3Region }),
    ...(s3Style && { style: s3Style }),
    ...(s3Ca && { caFile: s3Ca }),
  };
}

export function backupCommand(): Command {
  const made = command("backup", "Back up the environment's folder as one encrypted file.", EXAMPLES, "accepted")
    .argument(...ENVIRONMENT)
    .option("--to <place>", "a file, a folder, or s3://bucket/prefix (default: the current folder)");
  repeatable(made, "--recipient <age1…>", "age public key that can open the backup")
    .option("--recipients-file <file>", "file with recipients, one per line")
    .option("--new-key <file>", "create a key that opens the backup and write it to this file; keep it elsewhere")
    .option("--passphrase-file <file>", "encrypt with the passphrase in this one-line file instead")
    .option("--outside", "include files outside the folder that the config refers to")
    .option("--list", "only list the backups made of this environment");
  return s3Options(made).action(async (folder: string, flags: BackupFlags) => {
    const { inSession } = await import("./session.ts");
    if (flags.list) {
      const { listBackups } = await import("../workflows/backup-list.ts");
      return inSession(flags, (session) => listBackups(session, folder));
    }
    const { backUp } = await import("../workflows/backup.ts");
    const { typePassphrase } = await import("./passphrase.ts");
    const { to, recipient, recipientsFile, newKey, passphraseFile } = flags;
    const wishes = {
      recipients: recipient,
      s3: s3Wishes(flags),
      outside: flags.outside ?? false,
      madeBy: `talosmith ${VERSION}`,
      ...(to && { to }),
      ...(recipientsFile && { recipientsFile }),
      ...(newKey && { newKey }),
      ...(passphraseFile && { passphraseFile }),
    };
    await inSession(flags, (session) => backUp(session, folder, wishes, typePassphrase(flags, session.signal)));
  });
}
