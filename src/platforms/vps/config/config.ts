import type { ConfigPlatform } from "../../../config/platform.ts";
import { check } from "./checks/all.ts";
import { flat } from "./flat.ts";
import { missing } from "./missing.ts";
import { place } from "./place.ts";
import { reference } from "./reference.ts";
import { read } from "./resolve.ts";
import { keys } from "./schema/keys.ts";

/** Rented servers, each of which is overwritten through its rescue system. */
export const vpsConfig: ConfigPlatform = {
  name: "vps",
  about: "overwrites rented servers",
  talosPlatform: "metal",
  machines: { kind: "existing", image: "the factory's metal image is written to the servers' disks" },
  network: "provider",
  keys,
  flat,
  reference,
  missing,
  check,
  read,
  place,
};
