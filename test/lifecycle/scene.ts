import type { ChartFiles } from "@talosmith/lab/charts/chart.ts";
import { chartsService } from "@talosmith/lab/charts/service.ts";
import { factoryService } from "@talosmith/lab/factory/service.ts";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { kubernetesService } from "@talosmith/lab/kubernetes/service.ts";
import { proxmoxService } from "@talosmith/lab/proxmox/service.ts";
import { sshService } from "@talosmith/lab/ssh/service.ts";
import { talosService } from "@talosmith/lab/talos/service.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { type ConfigWishes, type LabCoordinates, labConfig } from "../support/config.ts";
import { Root } from "../support/root.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { Commands, folderWith, type LabPace, watchedLab, writeConfig } from "./commands.ts";

export { FOLDER, type Outcome } from "./commands.ts";

export const ROOT_PASSWORD = "lifecycle-root";
/** The factory's first build is only a wait. */
const BUILD_MS = 3_000;

export interface Pace extends LabPace {
  buildMs?: number;
  /** Machines boot, and can form a cluster. */
  cluster?: boolean;
  /** Charts besides the lab's own. */
  charts?: readonly ChartFiles[];
  /** Root can log in to the hosts, whose IOMMU is off. */
  ssh?: boolean;
}

/** A lab with Proxmox, and talosmith working on it. */
export class Scene extends Commands {
  readonly root: Root;
  readonly at: LabCoordinates;
  /** Called when a call has taken effect and its response is about to be sent. */
  onAnswer: (() => void) | undefined;

  private constructor(lab: RunningLab, root: Root, at: LabCoordinates) {
    super(lab, { LAB_TOKEN: at.token });
    this.root = root;
    this.at = at;
  }

  static async open(seed = "lifecycle", pace: Pace = {}): Promise<Scene> {
    let scene: Scene | undefined;
    const services = [
      factoryService({ buildMs: pace.buildMs ?? BUILD_MS }),
      proxmoxService({ rootPassword: ROOT_PASSWORD, gpus: { pve2: ["nvidia rtx 4090"] }, iommu: !pace.ssh }),
      ...(pace.ssh ? [sshService()] : []),
      // Without services for guests, machines do not boot, which is quicker.
      ...(pace.cluster ? [chartsService({ charts: pace.charts ?? [] }), talosService(), kubernetesService()] : []),
    ];
    const lab = await watchedLab(seed, services, pace, () => scene?.onAnswer?.());
    const { proxmox = {}, factory = {}, charts = {} } = lab.published();
    const at: LabCoordinates = {
      block: lab.address.prefix,
      url: proxmox.url ?? "",
      fingerprint: proxmox.fingerprint ?? "",
      token: proxmox.token ?? "",
      factory: factory.url ?? "",
      ...(charts.url !== undefined && { charts: charts.url }),
      hosts: (proxmox.hosts ?? "").split(","),
    };
    scene = new Scene(lab, await Root.login(at.url, ROOT_PASSWORD), at);
    return scene;
  }

  /** An environment folder that survives a power cut. */
  folder(wishes: ConfigWishes = {}): VolatileFiles {
    return folderWith(labConfig(this.at, wishes));
  }

  configure(files: Files, wishes: ConfigWishes): void {
    writeConfig(files, labConfig(this.at, wishes));
  }

  /** Power-cycles all our machines. */
  async powerCycle(): Promise<void> {
    const ours = (await this.root.vms()).filter((vm) => (vm.config.tags ?? "").split(";").includes("talosmith"));
    for (const power of ["stop", "start"])
      await Promise.all(ours.map((vm) => this.root.task("POST", `/nodes/${vm.node}/qemu/${vm.vmid}/status/${power}`, {})));
  }
}
