import { TalosmithError } from "@talosmith/lib/errors.ts";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { MachineConfig } from "../../config/machine-config.ts";
import type { Authority } from "../../secrets/bundle.ts";
import { talosNodes } from "../client.ts";
import type { TalosNode } from "../talos-node.ts";
import type { TalosNodes } from "../talos-nodes.ts";
import { authority, bundleWith, FakeNetwork, type Handlers, nodeIdentity } from "./fake-node.ts";

export const ADDRESS = "10.10.0.11";
/** For tests in which it does not matter what a config says. */
export const CONFIG = MachineConfig.read("machine: {}\n");
export const signal = new AbortController().signal;
export let network: FakeNetwork;
export let nodes: TalosNodes;
export let ours: Authority;

/** Before each test a network of its own; its nodes go with it. */
export function useOneNode(): void {
  beforeAll(async () => {
    ours = await authority(new FakeNetwork().real);
  });

  beforeEach(() => open());

  afterEach(async () => {
    nodes.close();
    await network.close();
  });
}

export function open(timeScale = 1): void {
  network = new FakeNetwork(timeScale);
  nodes = talosNodes(network.world, () => bundleWith(ours));
}

export async function nodeThat(handlers: Handlers): Promise<TalosNode> {
  await network.node(ADDRESS, await nodeIdentity(network.real, ours, ADDRESS), handlers);
  return nodes.node(ADDRESS);
}

export async function failure(of: Promise<unknown>): Promise<TalosmithError> {
  const error = await of.then(
    () => undefined,
    (thrown) => thrown,
  );
  if (!(error instanceof TalosmithError)) throw new Error(`expected a TalosmithError, got ${error}`);
  return error;
}

export const version = () => ({ messages: [{ version: { tag: "v1.13.9" }, platform: { name: "nocloud" } }] });
