import type { Write } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { CONTAINER, INSTALLER_NAMESPACE } from "../../kubernetes/helm/installer.ts";
import type { Pod } from "../../kubernetes/objects.ts";

/** How long a log may lag behind the end of its container. */
const LAST_WORDS_MS = 2_000;

const BEGUN = new Set(["Running", "Succeeded", "Failed"]);

interface LogTold {
  /** Starts to follow a pod's log, once for each started pod. */
  follow(pod: Pod | undefined): void;
  /** `itself`: the container has ended, so its log will, too. */
  end(itself: boolean): Promise<void>;
}

/** Shows each line of Helm's log as it arrives. An unreadable log is not an error: Helm's result is observed elsewhere. */
export function tellLog(kube: KubernetesClient, c: Write, clean: (line: string) => string): LogTold {
  const stop = new AbortController();
  const signal = AbortSignal.any([c.signal, stop.signal]);
  const followed = new Map<string, Promise<void>>();
  const tell = async (name: string) => {
    const of = { namespace: INSTALLER_NAMESPACE, name, container: CONTAINER };
    let said = false;
    try {
      for await (const line of kube.followLogs(of, {}, signal)) {
        const shown = clean(line.trimEnd());
        if (shown !== "") c.say(shown);
        said = true;
      }
    } catch {
      // No line is shown twice; a container that has not started is checked again at the next poll.
      if (!said) followed.delete(name);
    }
  };
  return {
    follow(pod) {
      const name = pod?.metadata.name;
      if (name === undefined || followed.has(name) || !BEGUN.has(pod?.status?.phase ?? "")) return;
      followed.set(name, tell(name));
    },
    async end(itself) {
      if (itself) {
        const ended = new AbortController();
        const enough = c.world.clock.sleep(LAST_WORDS_MS, AbortSignal.any([signal, ended.signal])).catch(() => {});
        await Promise.race([Promise.all(followed.values()), enough]);
        ended.abort();
      }
      stop.abort();
    },
  };
}
