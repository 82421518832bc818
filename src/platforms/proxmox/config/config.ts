import type { ConfigPlatform } from "../../../config/platform.ts";
import { sure } from "../../../config/resolve/values.ts";
import { addons } from "./addons.ts";
import { check } from "./checks/all.ts";
import { gpusOf } from "./devices.ts";
import { onProxmox, proxmoxPool } from "./draft.ts";
import { flat } from "./flat.ts";
import { missing } from "./missing.ts";
import { needs } from "./needs.ts";
import { place } from "./place.ts";
import { reference } from "./reference.ts";
import { read } from "./resolve/finish.ts";
import { hostOf } from "./resolve/proxmox.ts";
import { keys } from "./schema/keys.ts";
import { userVolumes } from "./user-volumes.ts";

/** Virtual machines on Proxmox VE. */
export const proxmoxConfig: ConfigPlatform = {
  name: "proxmox",
  about: "creates virtual machines",
  talosPlatform: "nocloud",
  machines: {
    kind: "made",
    gpus: (pool) => gpusOf(proxmoxPool(pool)),
    hasTpm: (pool) => proxmoxPool(pool).settings.tpm === true,
    volumes: (pool) => userVolumes(proxmoxPool(pool)),
  },
  network: "one",
  gatewayInside: { because: "Proxmox sets up no gateway outside the network", always: true },
  keys,
  addons,
  flat,
  reference,
  login: [["proxmox", "token"], ["proxmox", "password"], ["proxmox_api_token_secret"]],
  needs,
  missing,
  check,
  sshHost: (facts) => hostOf(sure(onProxmox(facts).draft.proxmox?.url)),
  read,
  place,
};
