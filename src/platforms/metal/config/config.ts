import type { ConfigPlatform } from "../../../config/platform.ts";
import { check } from "./checks.ts";

const rules = `Nothing is made: the machines have been started from the image factory's metal image and wait in maintenance mode at their addresses.

- There is no \`proxmox\` section, no \`image.method\`, and no setting that describes a machine (\`cores\`, \`memory\`, \`disk\`, \`vmid\` …).
- \`ip\` is where the machine is now. With \`mac\`, or \`bond\`, the node is given this address for good, with its gateway, \`vlan\` and
  \`network.nameservers\`; without them it keeps what its network gives it, so its DHCP server must always give it the same.
- Control planes need \`mac\` or \`bond\` when the endpoint is a virtual IP: it says which network card the address floats on.
- What is on \`installDisk\` is lost when Talos is installed to it.
`;

/** Machines that were started in maintenance mode by their owner. */
export const metalConfig: ConfigPlatform = {
  name: "metal",
  about: "takes machines that wait in maintenance mode",
  talosPlatform: "metal",
  machines: { kind: "existing", image: "start the machines from the factory's metal image yourself" },
  network: "one",
  gatewayInside: { because: "nodes reach their gateway directly" },
  keys: {
    notes: {
      "network.gateway": "On metal only nodes with a mac or a bond are told.",
      "nodes[].mac": "On metal, without it, the node keeps the address its own network gives it.",
    },
  },
  reference: { rules },
  check,
};
