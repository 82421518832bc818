import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

/** Failing downloads and uploads: PVE::Tools::download_file_from_url, API2/Storage/Status.pm, messages of wget. */
let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const PLAIN = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
const asset = (name: string) => `${bench.factory}/image/${PLAIN}/v1.13.9/${name}`;
const STORAGE = "/nodes/pve1/storage/local";
const download = (form: Record<string, string>) => bench.client.outcome("POST", `${STORAGE}/download-url`, form);
const content = () => bench.client.get("GET", `${STORAGE}/content`);

test.each(["gz", "zst"])("a disk image packed with %s is unpacked when it is downloaded as an ISO", async (compression) => {
  const form = { url: asset(`nocloud-amd64.raw.${compression}`), content: "iso", filename: "talos.img", compression };
  expect(await download(form)).toBe("OK");
  expect(await content()).toMatchObject([{ volid: "local:iso/talos.img", format: "iso", size: 1_306_525_696 }]);
});

test("a format without a decompressor fails in the task", async () => {
  const url = asset("nocloud-amd64.raw.xz");
  expect(await download({ url, content: "iso", filename: "talos.img", compression: "xz" })).toBe("no decompression method found");
  expect(await download({ url, content: "import", filename: "talos.raw", compression: "gz" })).toBe(
    "decompression not supported for import",
  );
});

test("a file whose content differs from its extension is discarded", async () => {
  expect(await download({ url: asset("nocloud-amd64.iso"), content: "import", filename: "talos.qcow2" })).toBe(
    "failed to verify file: failed to query file information with qemu-img",
  );
  expect(await content()).toEqual([]);
});

test("an address without a server fails as wget does", async () => {
  const { port } = new URL(bench.factory);
  const host = bench.lab.address.host(250);
  expect(await download({ url: `http://${host}:${port}/x.iso`, content: "iso", filename: "x.iso" })).toBe(
    `download failed: Connecting to ${host}:${port}... failed: Connection refused.`,
  );
  // After "ERROR 404" wget writes a blank line, and Proxmox shows the last line only if it is not blank.
  const form = { url: asset("no-such.iso"), content: "iso", filename: "x.iso" };
  const { exitstatus, log } = await bench.client.end(await bench.client.get("POST", `${STORAGE}/download-url`, form));
  expect(exitstatus).toBe("download failed: exit code 8");
  expect(log).toContainEqual(expect.stringMatching(/^[\d-]{10} [\d:]{8} ERROR 4\d\d: /));
});

test("a full storage accepts no file", async () => {
  const full = await Bench.open({ storages: [{ id: "tiny", type: "dir", totalGiB: 0.00002 }] });
  try {
    const form = { url: `${full.factory}/image/${PLAIN}/v1.13.9/nocloud-amd64.iso`, content: "iso", filename: "x.iso" };
    expect(await full.client.outcome("POST", "/nodes/pve1/storage/tiny/download-url", form)).toBe(
      "download failed: Cannot write to '/mnt/tiny/template/iso/x.iso.tmp_dwnl' (No space left on device).",
    );
  } finally {
    await full.close();
  }
});

const BOUNDARY = "----h7";
function form(fields: Record<string, string>, file: Buffer, name: string) {
  const parts = Object.entries(fields).map(
    ([key, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  );
  const head = `${parts.join("")}--${BOUNDARY}\r\nContent-Disposition: form-data; name="filename"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
  return {
    headers: { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}`, "Content-Length": String(body.length) },
    body,
  };
}

test("an interrupted upload is removed; while it is copied, a part of it exists", async () => {
  const slow = await Bench.open({ timeScale: 0.5 });
  try {
    const bytes = gzipSync(Buffer.alloc(100));
    const answer = await slow.client.raw("POST", `${STORAGE}/upload`, form({ content: "iso" }, bytes, "x.iso"));
    const upid = answer.body.data;
    const listed = () => slow.client.get("GET", `${STORAGE}/content`);
    await expect.poll(listed, { interval: 20 }).toMatchObject([{ volid: "local:iso/x.iso", size: Math.floor(bytes.length / 2) }]);
    await slow.client.get("DELETE", `/nodes/pve1/tasks/${encodeURIComponent(upid)}`);
    expect((await slow.client.end(upid)).exitstatus).toBe("received interrupt");
    expect(await listed()).toEqual([]);
  } finally {
    await slow.close();
  }
}, 30_000);
