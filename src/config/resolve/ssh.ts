import type { Redactor } from "@talosmith/lib/secret.ts";
import type { SshConfig } from "../config.ts";
import { DEFAULT_SSH } from "../defaults.ts";
import { hostKeyFingerprint } from "../host-key.ts";
import type { Draft } from "../shape.ts";
import { canonical, sure } from "./values.ts";

type Written = NonNullable<Draft["network"]>["ssh"];

/** Where nothing else is said: as root on `byDefault`. */
export function sshOf(written: Written, byDefault: string | undefined, key: string | undefined, redactor: Redactor): SshConfig {
  const { host, port, user, hostKey } = written ?? {};
  return {
    host: canonical(sure(host ?? byDefault)),
    port: port ?? DEFAULT_SSH.port,
    user: user ?? DEFAULT_SSH.user,
    ...(key !== undefined && { key: redactor.secret(key) }),
    ...(hostKey !== undefined && { hostKey: sure(hostKeyFingerprint(hostKey)) }),
  };
}
