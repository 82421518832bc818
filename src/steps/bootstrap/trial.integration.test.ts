import { TalosBench } from "@talosmith/lab/talos/testing/bench.ts";
import { Secret } from "@talosmith/lib/secret.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import type { NodeConfig } from "../../config/config.ts";
import { writeContext } from "../../engine/context.ts";
import { talosNodes } from "../../talos/api/client.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { bundleWith } from "../../talos/api/testing/fake-node.ts";
import { MachineConfig } from "../../talos/config/machine-config.ts";
import { applyLive } from "./apply-config.ts";

/* A trial on a node of the lab, whose rules change a while after it has answered, as real ones do. */

const SCALE = 60;
const block = { apiVersion: "v1alpha1", kind: "NetworkDefaultActionConfig", ingress: "block" };
const api = (subnet: string) => ({
  apiVersion: "v1alpha1",
  kind: "NetworkRuleConfig",
  name: "api",
  portSelector: { ports: [50_000], protocol: "tcp" },
  ingress: [{ subnet }],
});

let bench: TalosBench;
let talos: TalosNodes;

beforeEach(async () => {
  bench = await TalosBench.open({ timeScale: SCALE });
});
afterEach(async () => {
  talos?.close();
  await bench.close();
});

test("a firewall that locks us out is never confirmed, and one that does not is", async () => {
  const cluster = bench.cluster();
  const { address } = await bench.controlPlane(cluster, 101, 11);
  const key = cluster.os.key.export({ type: "pkcs8", format: "pem" }).toString();
  const session = testSession({ timeScale: SCALE });
  talos = talosNodes(session.world, () => bundleWith({ certificate: cluster.os.certificate, key: new Secret(key) }));
  const node = { name: "cp-11", ip: address, role: "controlplane" } as NodeConfig;
  const before = cluster.config("controlplane", "cp-11");
  const applied = (config: string) => {
    const c = writeContext(session, "bootstrap/config/cp-11", new Map());
    return applyLive({ node, talos, trial: {} }, MachineConfig.read(config), MachineConfig.read(before), c);
  };
  const boot = () => bench.state.machines["vm 101"]?.boot;
  const closed = cluster.config("controlplane", "cp-11", [block, api("10.99.0.0/24")]);
  await expect(applied(closed)).rejects.toMatchObject({ code: "CUT_OFF" });
  expect(boot()?.config).toBe(before);
  const open = cluster.config("controlplane", "cp-11", [block, api("127.0.0.0/8")]);
  await applied(open);
  expect(boot()).toMatchObject({ config: open });
  expect(boot()?.revert).toBeUndefined();
}, 60_000);
