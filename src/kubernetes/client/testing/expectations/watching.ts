import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../objects.ts";
import { LEASE, type Loose, lease, leases, type Place, signal } from "./place.ts";

/** Watches. */
export function watchExpectations(place: () => Place): void {
  const admin = () => place().admin;
  const kube = () => admin().client;

  /** The events during the moments of `happens`: each moment begins after the event of the previous one. */
  async function eventsOf(
    of: { namespace: string; labelSelector?: string },
    ...happens: (() => Promise<unknown>)[]
  ): Promise<string[]> {
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { is, object } of kube().watch<KubernetesObject & { spec: { holderIdentity: string } }>(
      { ...LEASE, ...of },
      stop.signal,
    )) {
      seen.push(`${is} ${object.metadata.name} ${object.spec.holderIdentity}`);
      const next = happens.shift();
      if (next) await next();
      else stop.abort();
    }
    return seen;
  }

  describe("watching", () => {
    test("what is there, what comes, what changes and what goes", async () => {
      const namespace = await place().namespace();
      await kube().create(lease(namespace, "a", "1"), signal);
      const seen = await eventsOf(
        { namespace },
        () => kube().create(lease(namespace, "b", "2"), signal),
        () => kube().merge({ ...LEASE, namespace, name: "a" }, { spec: { holderIdentity: "3" } }, signal),
        () => kube().delete({ ...LEASE, namespace, name: "b" }, {}, signal),
      );
      expect(seen).toEqual(["added a 1", "added b 2", "modified a 3", "deleted b 2"]);
    });

    test("an object that leaves the selection is reported as deleted", async () => {
      const namespace = await place().namespace();
      await kube().create(lease(namespace, "a", "1", { watched: "yes" }), signal);
      const mark = (watched: string | null) =>
        kube().merge({ ...LEASE, namespace, name: "a" }, { metadata: { labels: { watched } } }, signal);
      const seen = await eventsOf(
        { namespace, labelSelector: "watched=yes" },
        () => mark("no"),
        () => mark("yes"),
      );
      expect(seen).toEqual(["added a 1", "deleted a 1", "added a 1"]);
    });

    test("a bookmark ends what was there, when that is asked for", async () => {
      const namespace = await place().namespace();
      await kube().create(lease(namespace, "a"), signal);
      const query =
        "watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1";
      const { body } = await admin().call("GET", `${leases(namespace)}?${query}`);
      const events = lines(body);
      expect(events.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK"]);
      expect(events[1]?.object).toMatchObject({
        ...LEASE,
        metadata: { annotations: { "k8s.io/initial-events-end": "true" }, resourceVersion: expect.stringMatching(/^\d+$/) },
      });
    });
  });
}

/** One event is an object to the parser, several are lines. */
function lines(body: Loose): { type: string; object: Loose }[] {
  if (typeof body !== "string") return [body];
  return body
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
