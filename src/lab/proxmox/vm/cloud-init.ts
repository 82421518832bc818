import { died } from "../refusal.ts";
import { isCloudInit, isDriveKey, parseDrive } from "./drive.ts";

/** A machine has one cloud-init drive at most. */
export function requireOneCloudInit(config: Readonly<Record<string, string>>, asked: Readonly<Record<string, string>>): void {
  let attached = cloudInitKey(config);
  for (const key of Object.keys(asked).filter(isDriveKey).sort()) {
    if (!isCloudInit(parseDrive(key, asked[key] as string))) continue;
    if (attached !== undefined && attached !== key) throw died(`${key} - cloud-init drive is already attached at '${attached}'`);
    attached = key;
  }
}

function cloudInitKey(config: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(config).find((key) => isDriveKey(key) && isCloudInit(parseDrive(key, config[key] as string)));
}
