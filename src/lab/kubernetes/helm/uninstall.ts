import type { Process } from "../pods/program.ts";
import type { ClusterApi } from "./api.ts";
import type { HelmArguments } from "./argv.ts";
import { Releases } from "./release.ts";
import { objectsOf } from "./render.ts";
import { deleteObjects } from "./resources.ts";

/** `helm uninstall RELEASE…` */
export async function uninstall(run: Process, api: ClusterApi, args: HelmArguments): Promise<void> {
  const namespace = args.text.namespace ?? run.env.HELM_NAMESPACE ?? api.namespace;
  await api.version();
  const releases = new Releases(api, namespace, run.now);
  for (const name of args.words) {
    const history = await releases.history(name);
    const last = history.at(-1);
    if (!last) {
      if (args.on.has("ignore-not-found")) continue;
      throw new Error(`uninstall: Release not loaded: ${name}: release: not found`);
    }
    const deleted = new Date(run.now()).toISOString();
    const leaving = {
      ...last,
      info: { ...last.info, status: "uninstalling", deleted, description: "Deletion in progress (or silently failed)" },
    };
    await releases.update(leaving);
    await deleteObjects(api, objectsOf(last.manifest).reverse(), { name, namespace });
    if (args.on.has("keep-history")) {
      await releases.update({
        ...leaving,
        info: { ...leaving.info, status: "uninstalled", description: "Uninstallation complete" },
      });
    } else {
      for (const release of history) await releases.remove(release);
    }
    run.log(`release ${JSON.stringify(name)} uninstalled`);
  }
}
