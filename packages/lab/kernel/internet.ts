import type { Lab, Service } from "./kernel.ts";

/** External host names that the lab answers for, by service. */
const NAMES: Readonly<Record<string, string>> = {
  "factory.talos.dev": "factory",
  "helm.cilium.io": "charts",
  "charts.jetstack.io": "charts",
  "charts.longhorn.io": "charts",
  "charts.containeroo.ch": "charts",
  "argoproj.github.io": "charts",
  "fluxcd-community.github.io": "charts",
  "grafana.github.io": "charts",
  "kubernetes-sigs.github.io": "charts",
  "nvidia.github.io": "charts",
  "helm.ngc.nvidia.com": "charts",
  "ghcr.io": "charts",
  "github.com": "charts",
  "quay.io": "charts",
};

/** The address by which a part of the lab reaches this URL: the lab never dials the real one. */
export function insideUrl(lab: Lab, url: string): string {
  const { host, hostname, pathname, search } = new URL(url);
  const own = Object.hasOwn(lab.names, host) ? lab.names[host] : undefined;
  const name = own ?? (Object.hasOwn(NAMES, hostname) ? NAMES[hostname] : undefined);
  const home = name && lab.service<Service>(name).publish?.(lab).url;
  return home === undefined ? url : `${home}${pathname}${search}`;
}
