import { DEFAULT_HELM_IMAGE } from "../defaults.ts";
import { cilium } from "./addons/cilium.ts";
import { talosCcm } from "./addons/cloud.ts";
import { argocd, flux } from "./addons/gitops.ts";
import { certManager, metricsServer, monitoring, nvidia } from "./addons/observe.ts";
import { charts, manifests, secrets } from "./addons/own.ts";
import { localPath, longhorn } from "./addons/storage.ts";
import { imageName } from "./image-name.ts";
import { section } from "./value.ts";

/** The presets in the order in which they are installed within their tier; `more`: those of platforms. */
export const addons = (more: object) =>
  section(
    "Software to install into the cluster. A preset is a chart with the settings that it needs on Talos; true installs it with its defaults.",
    {
      cilium,
      secrets,
      talosCcm,
      ...more,
      metricsServer,
      certManager,
      longhorn,
      localPath,
      nvidia,
      monitoring,
      manifests,
      charts,
      flux,
      argocd,
      helmImage: imageName("Container image with helm, which installs charts from inside the cluster.", DEFAULT_HELM_IMAGE),
    },
  );
