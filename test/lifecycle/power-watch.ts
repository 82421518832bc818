import type { Scene } from "./scene.ts";

interface Talos {
  machines: Record<string, { name: string; vmid?: number; boot?: unknown }>;
  etcd: Record<string, { leader?: string; members: { id: string; name: string }[] }>;
}

interface Look {
  on: ReadonlySet<string>;
  leader: string | undefined;
}

const isControlPlane = (name: string) => name.startsWith("cp-");

/** Violations of the order in which machines are switched off while `work` runs, as seen inside the lab. */
export async function watchOrder(scene: Scene, work: () => Promise<unknown>): Promise<string[]> {
  const found = new Set<string>();
  const { onAnswer } = scene;
  let before = lookAt(scene);
  const look = () => {
    const now = lookAt(scene);
    const gone = [...before.on].filter((name) => !now.on.has(name) && isControlPlane(name));
    const left = [...now.on].filter((name) => !isControlPlane(name));
    if (gone.length > 0 && left.length > 0) found.add(`${gone.join(", ")} went off while ${left.join(", ")} was running`);
    if (gone.length > 1) found.add(`${gone.join(", ")} went off at the same time`);
    const others = [...now.on].filter(isControlPlane);
    if (before.leader !== undefined && gone.includes(before.leader) && others.length > 0)
      found.add(`${before.leader} led etcd and went off before ${others.join(", ")}`);
    before = now;
  };
  const watch = setInterval(look, 2);
  scene.onAnswer = () => {
    look();
    onAnswer?.();
  };
  try {
    await work();
    look();
  } finally {
    clearInterval(watch);
    scene.onAnswer = onAnswer;
  }
  return [...found, ...cutOff(scene)];
}

function lookAt({ lab }: Scene): Look {
  const { machines, etcd } = lab.state<Talos>("talos");
  const on = Object.values(machines).filter(({ boot }) => boot !== undefined);
  const [cluster] = Object.values(etcd);
  return {
    on: new Set(on.map(({ name }) => name)),
    leader: cluster?.members.find(({ id }) => id === cluster.leader)?.name,
  };
}

/** Machines that were switched off although they could have been shut down. */
function cutOff({ lab }: Scene): string[] {
  const { tasks } = lab.state<{ tasks: { type: string; id: string }[] }>("proxmox");
  return tasks.filter(({ type }) => type === "qmstop").map(({ id }) => `VM ${id} was switched off without a shutdown`);
}
