import type { Scene } from "./scene.ts";

/** Foreign VMs: a plain one, one in our range of ids, and one with our tags. */
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

/** Clones a machine as the UI does: same notes, same tags, another id. It has no onboot, so that only talosmith could start it. */
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
