import type { HostFlags } from "../../src/platforms/proxmox/host/wish.ts";
import { labConfig } from "../support/config.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { FOLDER, folderWith } from "./commands.ts";
import { said } from "./invariants.ts";
import type { Play, Scenario } from "./scenario.ts";
import { Scene } from "./scene.ts";

/* Unprepared hosts are prepared by root. */

/** Services whose calls fail. */
const services = ["ssh"];

function folder(scene: Scene, config: (text: string) => string, firstWorker?: string): VolatileFiles {
  const { port, key = "", fingerprint } = scene.lab.published().ssh ?? {};
  const login = `token: \${file:proxmox-token}\n  ssh: { port: ${port}, key: "\${file:key}", hostKey: "${fingerprint}" }`;
  const text = labConfig(scene.at, { workers: 1, ...(firstWorker !== undefined && { firstWorker }) });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the config.
  const files = folderWith(config(text.replace("token: ${env:LAB_TOKEN}", login)));
  files.write(`${FOLDER}/key`, Buffer.from(key), 0o600);
  files.sync(`${FOLDER}/key`);
  files.syncFolder(FOLDER);
  return files;
}

/** Checks that a second run changes nothing, and that machines can be planned with the result. */
const judge = (flags: HostFlags): Scenario<Scene>["judge"] => {
  return async (scene) => async (files) => {
    const again = await scene.prepareHosts(files, flags);
    const changes = again.events.flatMap((event) => (event.type === "mutation.intent" ? [event.what] : []));
    const plan = await scene.plan(files);
    return [
      ...(again.exitCode === 0 ? [] : [`a second run ends with ${again.exitCode}: ${said(again)}`]),
      ...changes.map((what) => `a second run wants to ${what}`),
      ...(plan.exitCode === 2 ? [] : [`the plan for machines ends with ${plan.exitCode}: ${said(plan)}`]),
    ];
  };
};

const DEVICE: HostFlags = { reboot: ["pve2"] };
const NAT: HostFlags = { nat: "vmbr10=10.66.0.0/24,dhcp" };

export const HOSTS: Play<Scene> = {
  open: async (seed) => {
    const scene = await Scene.open(seed, { ssh: true });
    await scene.root.call("DELETE", "/access/users/talosmith@pve");
    await scene.root.call("DELETE", "/access/roles/TalosmithDeploy");
    return scene;
  },
  scenarios: [
    {
      name: "host prepare, with a device, for which a host restarts",
      prepare: async (scene) => folder(scene, (text) => text, "host: pve2, pci: [{ mapping: gpu0, gpu: nvidia }]"),
      run: (scene, files, seed) => scene.prepareHosts(files, DEVICE, seed),
      judge: judge(DEVICE),
      services,
      rare: true,
    },
    {
      name: "host prepare, with a network behind NAT",
      prepare: async (scene) => folder(scene, (text) => text.replace(/hosts: \[.*\]/, "hosts: [pve1]")),
      run: (scene, files, seed) => scene.prepareHosts(files, NAT, seed),
      judge: judge(NAT),
      services,
    },
  ],
};
