import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import { find } from "@talosmith/lib/yaml/tree.ts";
import { isReference } from "../../../../config/references.ts";
import { devicesOf } from "../devices.ts";
import type { ProxmoxPool } from "../draft.ts";
import { TOKEN } from "../schema/token.ts";
import type { ProxmoxCheck } from "./check.ts";

/** Checks hosts, login and connection. */
export const access: ProxmoxCheck = (facts, report) => {
  const { hosts } = facts;
  const { proxmox } = facts.draft;
  const written = (key: string) => find(report.tree, ["proxmox", key]);
  if (proxmox?.host !== undefined && proxmox.hosts !== undefined)
    report.problem(["proxmox", "host"], {
      message: "proxmox has both host and hosts",
      hint: "keep hosts, with all names in it",
      on: "key",
    });
  if (proxmox !== undefined && hosts === undefined && written("host") === undefined && written("hosts") === undefined)
    report.problem(
      ["proxmox"],
      { message: "proxmox.hosts is missing", hint: "add under proxmox:\nhosts: [pve1]", remark: "hosts is missing", on: "key" },
      "CONFIG_MISSING_KEY",
    );
  const other = ["user", "password"].find((key) => written(key) !== undefined);
  if (written("token") !== undefined && other !== undefined)
    report.problem(["proxmox", other], {
      message: `proxmox has both token and ${other}`,
      hint: "keep token; or user and password, for what only root@pam may do",
      on: "key",
    });
  for (const [key, variable] of [
    ["token", "PROXMOX_TOKEN"],
    ["password", "PROXMOX_PASSWORD"],
  ] as const) {
    const secret = written(key);
    if (secret?.kind !== "scalar" || secret.value === null || secret.written !== undefined) continue;
    // An unresolvable reference here: the command that loads without a login will create its target.
    if (isReference(String(secret.value))) continue;
    report.warn(["proxmox", key], {
      message: `proxmox.${key} is stored in plain text in this file`,
      hint: `write \${env:${variable}} or \${file:PATH} instead, and create a new ${key} if this file was ever shared`,
    });
  }
  if (proxmox?.user === "root@pam" && !facts.pools.some(needsRoot))
    report.warn(["proxmox", "user"], {
      message: "proxmox.user is root@pam, which has all rights, but nothing in this config needs them",
      hint: `use the token of a user with only the needed rights; this creates one:  ${ownCommand("host prepare", typedEnvironment())}`,
    });
  if (TOKEN.exec(proxmox?.token ?? "")?.[1] === "root@pam")
    report.warn(["proxmox", "token"], {
      message: "proxmox.token belongs to root@pam",
      hint: "create a user with only the needed rights: pveum user add talosmith@pve",
    });
  if (proxmox?.url !== undefined && new URL(proxmox.url).port === "" && !/:443\/?$/.test(proxmox.url))
    report.warn(["proxmox", "url"], {
      message: "proxmox.url has no port, which means 443",
      hint: "add :8006 unless something in front of Proxmox listens on 443",
    });
};

/** Options that only root with a password may set, and no token (docs/facts/proxmox.md#root-only). */
function needsRoot({ settings }: ProxmoxPool): boolean {
  const { pci, usb, affinity, hugepages } = settings;
  const devices = [...devicesOf(pci, "address"), ...devicesOf(usb, "id")];
  return affinity !== undefined || (hugepages ?? false) !== false || devices.some((device) => device?.raw !== undefined);
}
