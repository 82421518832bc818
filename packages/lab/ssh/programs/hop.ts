import { proxmoxState } from "../../proxmox/state.ts";
import { failed, type Program } from "./program.ts";

/** Options of ssh that take a value. */
const WITH_VALUE = /^-[bcDEeFIiJLlmOopQRSWw]$/;

/** ssh from one host of the cluster to another: they know each other's keys. */
export const ssh: Program = async ({ lab, args, stdin, shell }) => {
  let at = 0;
  while (args[at]?.startsWith("-") && args[at] !== "--") at += WITH_VALUE.test(args[at] ?? "") ? 2 : 1;
  const [target = "", ...rest] = args.slice(at);
  const address = target.replace(/^root@/, "").replace(/^\[(.*)\]$/, "$1");
  const host = lab.turn(() => proxmoxState(lab).hosts.find((one) => one.address === address || one.name === address));
  if (!host) return failed(255, `ssh: Could not resolve hostname ${address}: Name or service not known\r\n`);
  if (!host.online) return failed(255, `ssh: connect to host ${address} port 22: No route to host\r\n`);
  return shell(
    host.name,
    rest.filter((word, index) => index > 0 || word !== "--").join(" "),
    args.includes("-n") ? async () => Buffer.alloc(0) : stdin,
  );
};
