import type { Scene } from "./scene.ts";

/** All objects in a lab's Proxmox with their complete readable content, by name. */
export type Portrait = ReadonlyMap<string, string>;

const sorted = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) =>
    part && typeof part === "object" && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part,
  );

export async function portrait({ root, at }: Scene): Promise<Portrait> {
  const seen = new Map<string, string>();
  for (const { vmid, node, config, running } of await root.vms()) seen.set(`VM ${vmid}`, sorted({ node, config, running }));
  await Promise.all(
    at.hosts.flatMap((host) =>
      ["local", "local-lvm"].map(async (storage) => {
        const volumes = (await root.call("GET", `/nodes/${host}/storage/${storage}/content`)) as {
          volid: string;
          ctime?: number;
        }[];
        for (const volume of volumes) seen.set(`volume ${volume.volid} on ${host}`, sorted(volume));
      }),
    ),
  );
  const pools = (await root.call("GET", "/pools")) as { poolid: string }[];
  await Promise.all(
    pools.map(async ({ poolid }) => {
      const [pool] = (await root.call("GET", "/pools", { poolid })) as { comment?: string; members: { id: string }[] }[];
      seen.set(`pool ${poolid}`, sorted({ comment: pool?.comment, members: pool?.members.map(({ id }) => id).sort() }));
    }),
  );
  return seen;
}

/** Objects that changed since, or were removed. */
export function changedSince(before: Portrait, now: Portrait): string[] {
  return [...before].flatMap(([what, was]) => {
    const is = now.get(what);
    return is === was ? [] : [`${what}: ${was} became ${is ?? "nothing"}`];
  });
}
