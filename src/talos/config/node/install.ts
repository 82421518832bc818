import { DEFAULT_INSTALL_DISK } from "../../../config/defaults.ts";
import { diskExpression } from "../disk-expression.ts";
import type { JsonObject } from "../document.ts";
import { isSplit, type NodeInput, type NodePart, newDocument } from "./node-input.ts";

type InstallDisk = NodeInput["base"]["installDisk"];

/** Disk and installer, where they are not the base's. */
export function installPart({ node, base, cluster, installerImage }: NodeInput): NodePart {
  const installDisk = node.installDisk ?? DEFAULT_INSTALL_DISK;
  const otherDisk = JSON.stringify(installDisk) !== JSON.stringify(base.installDisk);
  const otherImage = installerImage !== base.installerImage;
  if (!otherDisk && !otherImage) return {};
  if (!isSplit(cluster.contract)) {
    return {
      machine: {
        install: { ...(otherDisk && oldForm(installDisk, base.installDisk)), ...(otherImage && { image: installerImage }) },
      },
    };
  }
  // The expression is always written: Talos removes it when a patch omits it.
  const provisioning = { diskSelector: { match: diskExpression(installDisk) } };
  return {
    documents: [
      newDocument("UnattendedInstallConfig", { ...(otherImage && { installer: { image: installerImage } }), provisioning }),
    ],
  };
}

/** The original form, which deletes the base's settings that would restrict or contradict the node's disk. */
function oldForm(mine: InstallDisk, bases: InstallDisk): JsonObject {
  if (typeof mine === "string") return { disk: mine, ...(typeof bases !== "string" && { diskSelector: DELETED }) };
  const tooMuch = typeof bases === "string" ? [] : Object.keys(bases).filter((key) => !(key in mine));
  return {
    ...(typeof bases === "string" && { disk: DELETED }),
    diskSelector: { ...mine, ...Object.fromEntries(tooMuch.map((key) => [key, DELETED])) },
  };
}

const DELETED = { $patch: "delete" };
