import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { MachineService } from "@talosmith/wire/gen/machine/machine_pb.js";
import type { Lab } from "../../kernel/kernel.ts";
import { durations } from "../durations.ts";
import { ofBoot } from "../machine/boot.ts";
import { setService } from "../machine/services.ts";
import type { ServiceState } from "../state.ts";
import { callerOf, changing, looking } from "./caller.ts";

function health(lab: Lab, { healthy, events, since }: ServiceState) {
  const said = events.at(-1)?.message ?? "";
  return {
    unknown: healthy === undefined,
    healthy: healthy === true,
    lastMessage: healthy === undefined ? "Unknown" : healthy ? "" : said,
    lastChange: timestampFromMs(lab.timeOfDay(since)),
  };
}

/** The part of machine.MachineService for services. */
export const serviceMethods: Partial<ServiceImpl<typeof MachineService>> = {
  serviceList: (_, context) =>
    looking(callerOf(context), ({ boot, lab }) => ({
      messages: [
        {
          services: Object.entries(boot.services)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([id, service]) => ({
              id,
              state: service.state,
              events: {
                events: service.events.map(({ at, state, message }) => ({
                  msg: message,
                  state,
                  ts: timestampFromMs(lab.timeOfDay(at)),
                })),
              },
              health: health(lab, service),
            })),
        },
      ],
    })),

  // Of Talos's own services only the kubelet may be restarted.
  serviceRestart: ({ id }, context) =>
    changing(callerOf(context), ({ lab, machine, boot }) => {
      const service = boot.services[id];
      if (!service) throw new ConnectError(`service ${JSON.stringify(id)} not defined`, Code.Unknown);
      const verb = service.state === "Running" ? "restart" : "start";
      if (id !== "kubelet")
        throw new ConnectError(`service ${JSON.stringify(id)} doesn't support ${verb} operation via API`, Code.Unknown);
      setService(lab, boot, id, "Finished", "Service finished successfully", false);
      setService(lab, boot, id, "Starting", "Starting service", false);
      lab.schedule("talos.service", durations.kubeletImage, { ...ofBoot(machine, boot), id });
      return { messages: [{ resp: `Service ${JSON.stringify(id)} restarted` }] };
    }),
};
