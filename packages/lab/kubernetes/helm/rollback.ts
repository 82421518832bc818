import type { Process } from "../pods/program.ts";
import type { ClusterApi } from "./api.ts";
import type { HelmArguments } from "./argv.ts";
import { timestampOf } from "./clock.ts";
import type { Job } from "./job.ts";
import { type Release, Releases } from "./release.ts";
import { objectsOf } from "./render.ts";
import { applyObjects } from "./resources.ts";

/** Applies the last good revision again, as a new revision. */
export async function rollbackTo({ run, api, releases, owner }: Job, good: Release, failed: Release): Promise<void> {
  const back: Release = {
    ...good,
    version: failed.version + 1,
    info: {
      ...good.info,
      last_deployed: timestampOf(run),
      status: "pending-rollback",
      description: `Rollback to ${good.version}`,
    },
  };
  await releases.create(back);
  await applyObjects(api, objectsOf(failed.manifest), objectsOf(good.manifest), owner);
  await releases.update({ ...good, info: { ...good.info, status: "superseded" } });
  await releases.update({ ...back, info: { ...back.info, status: "deployed" } });
}

/** `helm rollback RELEASE [REVISION]` */
export async function rollback(run: Process, api: ClusterApi, args: HelmArguments): Promise<void> {
  const [name = "", revision] = args.words;
  const namespace = args.text.namespace ?? run.env.HELM_NAMESPACE ?? api.namespace;
  await api.version();
  const releases = new Releases(api, namespace, run.now);
  const history = await releases.history(name);
  const last = history.at(-1);
  if (!last) throw new Error("release: not found");
  const wanted = revision === undefined || revision === "0" ? last.version - 1 : Number(revision);
  const good = history.find(({ version }) => version === wanted);
  if (!good) throw new Error(`release has no ${wanted} version`);
  const deployed = [...history].reverse().find(({ info }) => info.status === "deployed");
  await rollbackTo({ run, api, args, releases, owner: { name, namespace } }, good, last);
  if (deployed && deployed.version !== good.version)
    await releases.update({ ...deployed, info: { ...deployed.info, status: "superseded" } });
  run.log("Rollback was a success! Happy Helming!");
}
