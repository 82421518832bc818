import type { Listener } from "@talosmith/lib/world/world.ts";
import { afterEach, expect, test } from "vitest";
import { failingFiles } from "../../../test/support/failing-files.ts";
import { testSession } from "../../../test/support/toy.ts";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { writeContext } from "../../engine/context.ts";
import { fetchImage } from "./fetch-image.ts";
import type { TalosImage } from "./image.ts";

let server: Listener | undefined;
afterEach(() => server?.close());

test("a disk that fills up while an image is fetched is not blamed on the network, and gets its room back", async () => {
  const files = new VolatileFiles();
  files.makeFolder("/env", 0o700);
  const session = testSession({ files: failingFiles(files, { at: 2, code: "ENOSPC", lasting: true }) });
  server = await session.world.net.serve({ host: "127.0.0.1", port: 0 }, (_, response) => void response.end("an image"));
  const factory = { address: `http://127.0.0.1:${server.port}`, meter: { calls: 0, bytes: 0 } };
  const image = { file: "talos.raw.xz", path: "/image" } as TalosImage;
  const fetched = fetchImage(writeContext(session, "s", new Map()), factory, image, "/env/upload-talos.raw.xz");
  await expect(fetched).rejects.toMatchObject({ kind: "user", code: "DISK_FULL" });
  expect(files.list("/env")).toEqual([]);
});
