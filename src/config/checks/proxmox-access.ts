import { find } from "../../lib/yaml/tree.ts";
import { TOKEN } from "../schema/proxmox.ts";
import type { Check } from "./facts.ts";

/** Which hosts, whose token, and whether the way there is safe. */
export const proxmoxAccess: Check = ({ draft, hosts }, report) => {
  const { proxmox } = draft;
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
  const token = written("token");
  if (token?.kind === "scalar" && token.value !== null && token.written === undefined)
    report.warn(["proxmox", "token"], {
      message: "proxmox.token is written out in the file",
      hint: `write \${env:PROXMOX_TOKEN} or \${file:PATH} instead, and make a new token if this file was ever shared`,
    });
  if (TOKEN.exec(proxmox?.token ?? "")?.[1] === "root@pam")
    report.warn(["proxmox", "token"], {
      message: "proxmox.token belongs to root@pam",
      hint: "make a user with only the rights that are needed: pveum user add talosmith@pve",
    });
  if (proxmox?.url !== undefined && new URL(proxmox.url).port === "" && !/:443\/?$/.test(proxmox.url))
    report.warn(["proxmox", "url"], {
      message: "proxmox.url has no port, which means 443",
      hint: "add :8006 unless something in front of Proxmox listens on 443",
    });
};
