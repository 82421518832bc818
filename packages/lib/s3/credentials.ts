import { join } from "node:path";
import { userError } from "../errors.ts";
import type { Redactor, Secret } from "../secret.ts";
import type { World } from "../world/world.ts";

export interface Credentials {
  /** Not secret: every request contains it in plain text. */
  accessKey: string;
  secretKey: Secret;
  sessionToken?: Secret;
}

/** Looks where every S3 program looks: environment variables, then a profile in the credentials file of AWS tools. Never on the command line. */
export function findCredentials(world: World, redactor: Redactor): Credentials {
  const fromEnvironment = credentialsOf((name) => world.env(name.toUpperCase()), redactor);
  if (fromEnvironment !== undefined) return fromEnvironment;
  const profile = world.env("AWS_PROFILE") || "default";
  const home = world.env("HOME") || "";
  const file = world.env("AWS_SHARED_CREDENTIALS_FILE") || join(home, ".aws", "credentials");
  const text = world.files.read(file);
  const values = text === undefined ? new Map() : profileIn(Buffer.from(text).toString("utf8"), profile);
  const fromFile = credentialsOf((name) => values.get(name), redactor);
  if (fromFile !== undefined) return fromFile;
  throw userError("S3_NO_CREDENTIALS", {
    message: "No S3 access keys found",
    detail: `AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and ${file} has no profile [${profile}] with access keys`,
    hint: "export AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…, or set AWS_SHARED_CREDENTIALS_FILE to a credentials file",
  });
}

function credentialsOf(value: (name: string) => string | undefined, redactor: Redactor): Credentials | undefined {
  const accessKey = value("aws_access_key_id");
  const secretKey = value("aws_secret_access_key");
  const sessionToken = value("aws_session_token");
  if (!accessKey || !secretKey) return undefined;
  return {
    accessKey,
    secretKey: redactor.secret(secretKey),
    ...(sessionToken && { sessionToken: redactor.secret(sessionToken) }),
  };
}

/** The lines `key = value` below `[profile]`. */
function profileIn(text: string, profile: string): Map<string, string> {
  const values = new Map<string, string>();
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    const [, head] = /^\s*\[\s*([^\]]*?)\s*\]/.exec(line) ?? [];
    if (head !== undefined) section = head;
    const [, key, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/i.exec(line) ?? [];
    if (section === profile && key !== undefined && value !== undefined) values.set(key.toLowerCase(), value);
  }
  return values;
}
