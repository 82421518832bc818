import type { Check } from "./facts.ts";

/** What nodes need to talk to each other. */
export const clusterNetwork: Check = ({ draft, families }, report) => {
  const { kubespan, discovery } = draft.cluster ?? {};
  if (kubespan === true && discovery === false)
    report.problem(["cluster", "kubespan"], {
      message: "cluster.kubespan needs cluster.discovery, through which nodes exchange their keys",
      hint: "remove discovery: false, or kubespan",
      on: "key",
    });
  const mtu = draft.network?.mtu;
  if (mtu !== undefined && mtu < 1280 && families.includes(6))
    report.problem(["network", "mtu"], { message: "network.mtu is less than IPv6 needs", hint: "use at least 1280" });
};
