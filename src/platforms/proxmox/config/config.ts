import type { ConfigPlatform } from "../../../config/platform.ts";

export const proxmoxConfig: ConfigPlatform = {
  name: "proxmox",
  login: [["proxmox", "token"], ["proxmox", "password"], ["proxmox_api_token_secret"]],
};
