import { Code, ConnectError } from "@connectrpc/connect";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { ApplyConfigurationRequest_Mode as Mode } from "@talosmith/wire/gen/machine/machine_pb.js";
import { parse } from "yaml";
import { factoryService } from "../../factory/service.ts";
import type { RunningLab, Service } from "../../kernel/kernel.ts";
import { createLab } from "../../kernel/lab.ts";
import type { ProxmoxOptions } from "../../proxmox/initial.ts";
import { proxmoxService } from "../../proxmox/service.ts";
import { Person } from "../../proxmox/testing/bench.ts";
import { type TalosOptions, talosService } from "../service.ts";
import { type TalosState, talosState } from "../state.ts";
import type { TalosLab } from "../view.ts";
import { type TalosClient, talosClient } from "./client.ts";
import { type ClientIdentity, TestCluster } from "./configs.ts";

const PLAIN = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

/** A lab with Proxmox, an image factory and Talos machines. */
export class TalosBench {
  readonly lab: RunningLab;
  readonly proxmox: Person;
  readonly #clients: TalosClient[] = [];
  #image: string | undefined;

  private constructor(lab: RunningLab) {
    this.lab = lab;
    const { proxmox = {} } = lab.published();
    this.proxmox = new Person(proxmox.url ?? "", async () => ({ Authorization: `PVEAPIToken=${proxmox.token}` }));
  }

  static async open(
    options: TalosOptions & {
      seed?: string;
      timeScale?: number | "instant";
      address?: string;
      more?: readonly Service[];
      proxmox?: ProxmoxOptions;
    } = {},
  ): Promise<TalosBench> {
    const { seed = "talos", timeScale = "instant", address, more = [], proxmox, ...talos } = options;
    const services = [factoryService({ buildMs: 1000 }), proxmoxService(proxmox), talosService(talos), ...more];
    const lab = await createLab(realWorld({ timeScale: 1 }), {
      seed,
      timeScale,
      services,
      ...(address !== undefined && { address }),
    });
    await lab.start();
    return new TalosBench(lab);
  }

  get state(): TalosState {
    return talosState(this.lab);
  }

  nodes() {
    return this.lab.turn(() => this.lab.service<TalosLab>("talos").nodes(this.lab));
  }

  cluster(name = "test", endpoint = "https://10.10.0.5:6443", talos?: string): TestCluster {
    return new TestCluster(name, endpoint, talos);
  }

  /** A running machine with Talos's nocloud image on its disk, and this address on its cloud-init drive. */
  async machine(
    vmid: number,
    last: number,
    { version = "v1.13.9", start = true, ip }: { version?: string; start?: boolean; ip?: string } = {},
  ): Promise<string> {
    const address = ip ?? this.lab.address.host(last);
    const filename = `talos-${version}.qcow2`;
    if (this.#image !== filename) {
      await this.proxmox.task("POST", "/nodes/pve1/storage/local/download-url", {
        url: `${this.lab.published().factory?.url}/image/${PLAIN}/${version}/nocloud-amd64.qcow2`,
        content: "import",
        filename,
      });
      this.#image = filename;
    }
    await this.proxmox.task("POST", "/nodes/pve1/qemu", {
      vmid,
      name: `vm-${vmid}`,
      cores: 2,
      memory: 4096,
      scsi0: `local-lvm:0,import-from=local:import/${filename}`,
      ide2: "local-lvm:cloudinit",
      boot: "order=scsi0",
      net0: `virtio=BC:24:11:00:00:${last.toString(16).padStart(2, "0").toUpperCase()},bridge=vmbr0`,
      ipconfig0: `ip=${address}/24,gw=${this.lab.address.host(254)}`,
    });
    await this.proxmox.task("PUT", `/nodes/pve1/qemu/${vmid}/resize`, { disk: "scsi0", size: "20G" }).catch(() => {});
    if (start) await this.proxmox.task("POST", `/nodes/pve1/qemu/${vmid}/status/start`);
    return address;
  }

  client(host: string, identity?: ClientIdentity): TalosClient {
    const client = talosClient(host, identity);
    this.#clients.push(client);
    return client;
  }

  /** Repeats the work until it succeeds; throws its last error when it never does. */
  async eventually<T>(work: () => T | Promise<T>, seconds = 300): Promise<T> {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (performance.now() > end) throw error;
        await new Promise((again) => setTimeout(again, 10));
      }
    }
  }

  /** Applies a config to a machine in maintenance mode. */
  async apply(address: string, config: string): Promise<void> {
    const client = this.client(address);
    await this.eventually(() => client.storage.disks({}));
    await client.machine.applyConfiguration({ data: Buffer.from(config), mode: Mode.AUTO });
  }

  /** The spec of a resource, from its YAML. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into specs of every shape.
  async resource(client: TalosClient, namespace: string, type: string, id: string): Promise<any> {
    const { resource } = await client.state.get({ namespace, type, id });
    return parse(resource?.spec?.yamlSpec ?? "");
  }

  /** A control plane with a config, bootstrapped and running. */
  async controlPlane(
    cluster: TestCluster,
    vmid: number,
    last: number,
    more: readonly object[] = [],
  ): Promise<{ address: string; client: TalosClient }> {
    const address = await this.machine(vmid, last, { version: cluster.talos });
    await this.apply(address, cluster.config("controlplane", `cp-${last}`, more));
    const client = this.client(address, cluster.client());
    await this.eventually(() => client.machine.version({}));
    return { address, client };
  }

  async bootstrap(client: TalosClient): Promise<void> {
    await this.eventually(() => client.machine.bootstrap({}));
    await this.eventually(async () => {
      const { messages } = await client.machine.serviceList({});
      const etcd = messages[0]?.services.find((service) => service.id === "etcd");
      if (etcd?.health?.healthy !== true) throw new Error(`etcd is ${etcd?.state}`);
    });
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.lab.close();
  }
}

/** The code and the message of a refused call. */
export async function refusalOf(call: Promise<unknown>): Promise<{ code: string; text: string }> {
  try {
    await call;
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return { code: Code[code], text: rawMessage };
  }
  return { code: "OK", text: "" };
}
