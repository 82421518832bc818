import { type Ref, type Step, step } from "../../../engine/step.ts";
import type { NatPlan } from "./nat.ts";
import type { Root } from "./root.ts";
import { finishHostFile, type HostFile, readHostFile, writeHostFile } from "./write-file.ts";

/** A DHCP service for one bridge: uses the package without Debian's service and its files, so that another dnsmasq on the host is not disturbed. */
export function dhcp(root: Root, plan: NatPlan, nameservers: readonly string[], bridge: Ref<void>): Step<HostFile, void> {
  const { host } = plan;
  const name = `talosmith-dhcp-${plan.bridge}`;
  const file = `/etc/systemd/system/${name}.service`;
  const id = `host/${host}/dhcp/${plan.bridge}`;
  const subject = `${host}: DHCP on ${plan.bridge}`;
  const wanted = unitText(plan, nameservers);
  const after = `apt-get install -y dnsmasq-base && systemctl daemon-reload && systemctl enable ${name} && systemctl restart ${name}`;
  const shell = root.on(host);
  return step<HostFile, void>({
    id,
    stage: "preflight",
    title: subject,
    needs: [bridge],
    observe: async () => ({ is: "present", actual: await readHostFile(shell, file), owner: "shared" }),
    plan: (seen) => {
      const actual = "later" in seen || seen.is !== "present" ? undefined : seen.actual;
      if (actual?.text === wanted && !actual.pending) return [];
      const fields = [
        ...(actual?.text === wanted
          ? []
          : [
              {
                path: file,
                from: actual?.text === undefined ? null : "another",
                to: `leases ${plan.range?.first} to ${plan.range?.last}`,
              },
            ]),
        { path: "runs", from: null, to: after },
      ];
      return [{ id, step: id, verb: "update", subject, fields }];
    },
    apply: async (_, c) => {
      const { text } = await readHostFile(shell, file);
      await c.mutate({ key: `${host} ${name}`, what: `give out addresses on ${plan.bridge} of ${host}` }, async () => {
        if (text === wanted) await finishHostFile(shell, file, after);
        else await writeHostFile(shell, file, wanted, after);
        return undefined;
      });
    },
    output: () => {},
  });
}

export function unitText({ bridge, address, range }: NatPlan, nameservers: readonly string[]): string {
  const options = [
    "--keep-in-foreground",
    "--conf-file=/dev/null",
    // No DNS, only DHCP.
    "--port=0",
    `--interface=${bridge}`,
    "--bind-dynamic",
    `--dhcp-range=${range?.first},${range?.last},12h`,
    `--dhcp-option=option:router,${address}`,
    ...(nameservers.length > 0 ? [`--dhcp-option=option:dns-server,${nameservers.join(",")}`] : []),
    `--dhcp-leasefile=/var/lib/misc/talosmith-${bridge}.leases`,
  ];
  return `[Unit]
Description=Addresses on ${bridge} for machines without one (talosmith)
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=/usr/sbin/dnsmasq ${options.join(" ")}
Restart=on-failure

[Install]
WantedBy=multi-user.target
`;
}
