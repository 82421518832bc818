import { asTalosmithError, TalosmithError } from "@talosmith/lib/errors.ts";
import type { PrivilegeName } from "../../../../catalog/proxmox-privileges.ts";
import type { Params, ProxmoxClient } from "../../client/client.ts";
import { refusalOf } from "../../client/refusal.ts";
import type { Site } from "../../site.ts";
import type { platformLab } from "../../testing/platform-lab.ts";
import type { Right } from "../right.ts";

type Bench = Awaited<ReturnType<typeof platformLab>>;

/** Makes the call that a right is for, and returns its refusal. */
export async function callFor(right: Right, bench: Bench, { client }: Site): Promise<string> {
  try {
    return await outcome(client, await calling(right, bench, client));
  } catch (error) {
    if (!(error instanceof TalosmithError)) throw error;
    return refusalOf(error)?.reason ?? String(asTalosmithError(error).message);
  }
}

const CONFIG: Partial<Record<PrivilegeName, Params>> = {
  "VM.Config.CDROM": { ide3: "none,media=cdrom" },
  "VM.Config.CPU": { cores: 3 },
  "VM.Config.Cloudinit": { delete: "ide2" },
  "VM.Config.Disk": { boot: "order=scsi0" },
  "VM.Config.HWType": { tablet: 0 },
  "VM.Config.Memory": { memory: 4096 },
  "VM.Config.Network": { delete: "net0" },
  "VM.Config.Options": { onboot: 0 },
  "Datastore.AllocateSpace": { scsi9: "local-lvm:1" },
  "Sys.Modify": { startup: "order=7" },
};

async function calling({ privilege, path, role }: Right, bench: Bench, client: ProxmoxClient): Promise<unknown> {
  // Rights on a pool's machine are checked on the pool, those on other machines on "/vms".
  const inPool = await bench.vm("gpu-1");
  const vm = path.startsWith("/pool/") ? inPool : await bench.vm("cp-1");
  const [, , name = ""] = path.split("/");
  const configure = (params: Params, at = vm) => client.post(`${at.path}/config`, params);
  if (role === "TalosmithKeptDisks") return configure({ scsi9: keptVolume(inPool.config) }, inPool);
  const params = CONFIG[privilege];
  if (params) return configure(params);
  switch (privilege) {
    case "VM.Allocate":
      return client.post("/nodes/pve1/qemu", { vmid: 998, ...(path.startsWith("/pool/") && { pool: "prod" }) });
    case "VM.Audit":
      return client.get("/nodes/pve1/qemu/555/config");
    case "VM.Clone": {
      const template = (await bench.root.vms()).find(({ config }) => config.template === "1");
      return client.post(`/nodes/${template?.node}/qemu/${template?.vmid}/clone`, { newid: 998 });
    }
    case "VM.PowerMgmt":
      return client.post(`${vm.path}/status/stop`);
    case "Datastore.AllocateTemplate":
    case "Sys.AccessNetwork":
      return client.post(`/nodes/${path.startsWith("/nodes/") ? name : "pve1"}/storage/local/download-url`, {
        url: "http://127.0.0.1:1/x.qcow2",
        content: "import",
        filename: "x.qcow2",
      });
    case "Datastore.Audit":
      return client.get(`/nodes/pve1/storage/${name}/content`);
    case "SDN.Use": {
      const [, , , , bridge, tag] = path.split("/");
      return configure({ net7: `virtio,bridge=${bridge}${tag === undefined ? "" : `,tag=${tag}`}` });
    }
    case "Mapping.Use":
      return configure(path.startsWith("/mapping/pci/") ? { hostpci3: "mapping=rtx3090" } : { usb3: "mapping=key" });
    case "Sys.Audit":
      return client.get(path === "/" ? "/cluster/status" : `${path}/status`);
    case "Pool.Allocate":
      return client.put("/pools", { poolid: name, comment: "x" });
    case "Pool.Audit":
      return client.get(`/pools/${name}`);
    default:
      throw new Error(`no call is known for ${privilege} on ${path}`);
  }
}

/** A kept disk belongs to another VM in Proxmox's view. */
function keptVolume(config: Record<string, string>): string {
  const kept = Object.values(config).find((value) => String(value).includes("serial=models"));
  return kept?.split(",")[0] ?? "";
}

/** Some calls are refused inside the task, so its exit status counts. */
async function outcome(client: ProxmoxClient, answer: unknown): Promise<string> {
  if (typeof answer !== "string" || !answer.startsWith("UPID:")) return "it was not refused";
  for (;;) {
    const at = `/nodes/${answer.split(":")[1]}/tasks/${encodeURIComponent(answer)}`;
    const { status, exitstatus } = (await client.get(`${at}/status`)) as Record<string, string>;
    if (status !== "running") return exitstatus ?? "";
  }
}
