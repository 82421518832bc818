import { expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import { download } from "./download.ts";

/** Where a download of this address dials to. */
async function dialled(url: string) {
  const asked: object[] = [];
  const world = testWorld();
  const dial = async (to: object) => {
    asked.push(to);
    throw new Error("nothing is there");
  };
  const wish = { url, trust: { by: "system" }, take: () => {}, signal: new AbortController().signal } as const;
  const meter = { calls: 0, bytes: 0 };
  await download({ ...world, net: { ...world.net, dial } }, { ...wish, meter }).catch(() => {});
  return { asked, calls: meter.calls };
}

const tls = { trust: { by: "system" } };
test.each([
  ["https://factory.example/image", { host: "factory.example", port: 443, tls }],
  ["http://mirror.example/image", { host: "mirror.example", port: 80 }],
  ["https://[2001:db8::1]:8443/image", { host: "2001:db8::1", port: 8443, tls }],
])("%s is downloaded from its host and port, protected when it says so", async (url, to) => {
  expect(await dialled(url)).toEqual({ asked: [to], calls: 1 });
});
