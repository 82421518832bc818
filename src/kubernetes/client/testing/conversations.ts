import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { testWorld } from "../../../../test/support/test-world.ts";
import { type KubernetesClient, openKubernetes } from "../kubernetes-client.ts";
import { type ApiServer, accessTo, apiServer, type Behaviour, type Identity, identity } from "./api-server.ts";

/** API servers with the behaviour of a test, and their clients; all are closed at the end of the test. */
export function conversations() {
  const world = testWorld();
  const open: { close(): unknown }[] = [];
  let known: Identity | undefined;
  beforeAll(async () => {
    known = await identity(world);
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  afterAll(() => {
    expect(open).toEqual([]);
  });
  const us = (): Identity => {
    if (!known) throw new Error("asked before the first test began");
    return known;
  };
  return {
    world,
    open,
    us,
    async server(behave: Behaviour = () => undefined): Promise<ApiServer> {
      const started = await apiServer(world, us(), behave);
      open.push(started);
      return started;
    },
    clientOf(...servers: string[]): KubernetesClient {
      const client = openKubernetes(world, () => accessTo(us(), ...servers));
      open.push(client);
      return client;
    },
  };
}
