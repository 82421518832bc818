import type { ConfigPlatform } from "../../../config/platform.ts";
import { check } from "./checks.ts";

const rules = `talosmith creates no machines: you start them from the image factory's metal image, and they wait in maintenance mode at their addresses.

- There is no \`proxmox\` section, no \`image.method\`, and no setting that describes a machine (\`cores\`, \`memory\`, \`disk\`, \`vmid\` …).
- \`ip\` is the machine's current address. With \`mac\` or \`bond\`, the node gets it as a static address, with its gateway, \`vlan\` and
  \`network.nameservers\`; without them it uses DHCP, so the DHCP server must always assign the same address.
- Control planes need \`mac\` or \`bond\` when the endpoint is a virtual IP: it identifies the network card of the virtual IP.
- All data on \`installDisk\` is lost when Talos is installed to it.
`;

/** The platform of existing machines that the user started in maintenance mode. */
export const metalConfig: ConfigPlatform = {
  name: "metal",
  about: "uses machines that wait in maintenance mode",
  talosPlatform: "metal",
  machines: { kind: "existing", image: "start the machines from the factory's metal image yourself" },
  network: "one",
  gatewayInside: { because: "nodes reach their gateway directly" },
  keys: {
    notes: {
      "network.gateway": "On metal only nodes with mac or bond use it.",
      "nodes[].mac": "On metal, without it, the node keeps the address that it gets by DHCP.",
    },
  },
  reference: { rules },
  check,
};
