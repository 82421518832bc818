import { type Check, check } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import { mappings } from "../client/hardware.ts";
import type { Site } from "../site.ts";
import { fail, ok } from "./finding.ts";
import { nodesIn, setsDevices } from "./kinds.ts";
import { nodesByHost } from "./look.ts";
import { PREFLIGHT } from "./version.ts";

/** Checks that the USB mappings of machines exist on their hosts. Whether a device is plugged in is only visible with Sys.Modify. */
export function usbDevicesAreMapped(site: Site, found: Inventory): Check[] {
  const wishes = [...nodesByHost(site, found)].flatMap(([host, nodes]) =>
    nodes.flatMap((node) =>
      node.usb.flatMap((device, at) => ("mapping" in device ? [{ host, node, at, mapping: device.mapping }] : [])),
    ),
  );
  if (wishes.length === 0) return [];
  return [
    check({
      id: "preflight/usb-devices",
      stage: "preflight",
      title: "USB devices",
      needs: [{ step: PREFLIGHT }],
      before: setsDevices,
      run: async (c, changes) => {
        const concerned = nodesIn(site.env.config.nodes, changes);
        const wanted = wishes.filter(({ node }) => concerned.includes(node));
        if (wanted.length === 0) return [];
        const mapped = await mappings(site.client, "usb", c.signal);
        return wanted.map(({ host, node, at, mapping }) => {
          const entries = mapped.find(({ id }) => id === mapping)?.entries;
          const where = site.env.where(["nodes", node.name, "usb", at]);
          if (!entries)
            return fail(
              "NO_MAPPING",
              `there is no USB mapping ${mapping} for ${node.name}, or this login may not use it`,
              `if it exists, grant Mapping.Use on /mapping/usb/${mapping}; else create it as root on ${host}, with the id that \`lsusb\` shows:\npvesh create /cluster/mapping/usb --id ${mapping} --map node=${host},id=VENDOR:PRODUCT`,
              where,
            );
          if (entries.some((entry) => entry.host === host))
            return ok("DEVICE", `USB mapping ${mapping} on ${host} for ${node.name}`);
          return fail(
            "MAPPING_HOST",
            `the USB mapping ${mapping} has no device on ${host}, the host of ${node.name}`,
            `place ${node.name} on ${entries.map((entry) => entry.host).join(" or ") || "another host"} (host:), or add the device of ${host} in the Proxmox UI: Datacenter, Resource Mappings`,
            where,
          );
        });
      },
    }),
  ];
}
