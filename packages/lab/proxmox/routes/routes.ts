import { accessRoutes } from "./access.ts";
import { clusterRoutes } from "./cluster.ts";
import { configRoutes } from "./config.ts";
import { domainRoutes } from "./domains.ts";
import { fileRoutes } from "./files.ts";
import { groupRoutes } from "./groups.ts";
import { haRoutes } from "./ha.ts";
import { hardwareRoutes } from "./hardware.ts";
import { hostSettingRoutes } from "./host-settings.ts";
import { loginRoutes } from "./login.ts";
import { mappingRoutes } from "./mapping.ts";
import { networkRoutes } from "./network.ts";
import { nodeRoutes } from "./nodes.ts";
import { poolRoutes } from "./pools.ts";
import { powerRoutes } from "./power.ts";
import { qemuRoutes } from "./qemu.ts";
import { resourceRoutes } from "./resources.ts";
import type { Method } from "./route.ts";
import { sdnRoutes } from "./sdn.ts";
import { storageRoutes } from "./storage.ts";
import { taskRoutes } from "./tasks.ts";
import { urlMetadataRoutes } from "./url-metadata.ts";
import { userRoutes } from "./users.ts";

/** Every simulated method; others are answered as not implemented, as by Proxmox. */
export const routes: readonly Method[] = [
  ...nodeRoutes,
  ...hostSettingRoutes,
  ...clusterRoutes,
  ...sdnRoutes,
  ...haRoutes,
  ...resourceRoutes,
  ...networkRoutes,
  ...mappingRoutes,
  ...loginRoutes,
  ...domainRoutes,
  ...hardwareRoutes,
  ...groupRoutes,
  ...accessRoutes,
  ...userRoutes,
  ...poolRoutes,
  ...storageRoutes,
  ...fileRoutes,
  ...urlMetadataRoutes,
  ...qemuRoutes,
  ...configRoutes,
  ...powerRoutes,
  ...taskRoutes,
];
