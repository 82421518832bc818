import { type Check, check } from "../../../engine/step.ts";
import { mappings } from "../client/hardware.ts";
import type { Site } from "../site.ts";
import { at, fail, ok } from "./finding.ts";
import { nodesByHost } from "./look.ts";
import { PREFLIGHT } from "./version.ts";

/** Checks that the USB mappings of machines exist on their hosts. Whether a device is plugged in is only visible with Sys.Modify. */
export function usbDevicesAreMapped(site: Site): Check[] {
  const wishes = [...nodesByHost(site)].flatMap(([host, nodes]) =>
    nodes.flatMap((node) => node.usb.flatMap((device) => ("mapping" in device ? [{ host, node, mapping: device.mapping }] : []))),
  );
  if (wishes.length === 0) return [];
  return [
    check({
      id: "doctor/usb-devices",
      stage: "preflight",
      title: "USB devices",
      needs: [{ step: PREFLIGHT }],
      run: async (c) => {
        const mapped = await mappings(site.client, "usb", c.signal);
        return wishes.map(({ host, node, mapping }) => {
          const entries = mapped.find(({ id }) => id === mapping)?.entries;
          const place = at(site.env.where(["nodes", node.name, "usb"]));
          if (!entries)
            return fail(
              "NO_MAPPING",
              `${place}there is no USB mapping ${mapping} for ${node.name}, or this login may not use it`,
              `if it exists, grant Mapping.Use on /mapping/usb/${mapping}; else create it as root on ${host}, with the id that \`lsusb\` shows:\npvesh create /cluster/mapping/usb --id ${mapping} --map node=${host},id=VENDOR:PRODUCT`,
            );
          if (entries.some((entry) => entry.host === host))
            return ok("DEVICE", `USB mapping ${mapping} on ${host} for ${node.name}`);
          return fail(
            "MAPPING_HOST",
            `${place}the USB mapping ${mapping} has no device on ${host}, the host of ${node.name}`,
            `place ${node.name} on ${entries.map((entry) => entry.host).join(" or ") || "another host"} (host:), or add the device of ${host} in the Proxmox UI: Datacenter, Resource Mappings`,
          );
        });
      },
    }),
  ];
}
