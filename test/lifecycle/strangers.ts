import type { Scene } from "./scene.ts";

/** VMs of somebody else: a plain one, one in the range our ids come from, and one that was tagged like ours. */
export async function foreignVms(scene: Scene): Promise<void> {
  const host = scene.at.hosts[0] ?? "";
  const make = (vmid: number, more: Record<string, string | number>) =>
    scene.root.task("POST", `/nodes/${host}/qemu`, {
      vmid,
      cores: 1,
      memory: 512,
      scsi0: "local-lvm:1",
      net0: "virtio,bridge=vmbr0",
      ...more,
    });
  await make(100, { name: "nas", description: "not a cluster" });
  await make(20_417, { name: "in-our-range" });
  await make(20_418, { name: "tagged", tags: "homelab" });
}

/** What the UI's clone button makes: same notes, same tags, another id. Its host does not start it, so that whoever does is one of us. */
export async function copyOf(scene: Scene, name: string): Promise<void> {
  const original = (await scene.root.vms()).find((vm) => vm.config.name === name);
  if (!original) throw new Error(`there is no ${name} to copy`);
  await scene.root.task("POST", `/nodes/${original.node}/qemu/${original.vmid}/clone`, {
    newid: 777,
    name: `${name}-copy`,
    full: 1,
  });
  await scene.root.call("PUT", `/nodes/${original.node}/qemu/777/config`, { onboot: 0 });
}
