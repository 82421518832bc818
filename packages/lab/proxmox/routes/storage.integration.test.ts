import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildImage } from "../../factory/image.ts";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const AT = "/nodes/pve1/storage/local";
const GiB = 1024 ** 3;

function imageUrl(): string {
  const schematic = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
  return `${bench.factory}/image/${schematic}/v1.13.9/nocloud-amd64.qcow2`;
}

function download(more: Record<string, string> = {}) {
  return { url: imageUrl(), content: "import", filename: "talos.qcow2", ...more };
}

test("each host has local and local-lvm", async () => {
  const storages = await bench.client.get("GET", "/nodes/pve2/storage", { format: 1 });
  const lvm = storages.find((storage: { storage: string }) => storage.storage === "local-lvm");
  expect(lvm).toMatchObject({ type: "lvmthin", active: 1, enabled: 1, shared: 0, total: 800 * GiB, used: 0, avail: 800 * GiB });
  expect(lvm.formats).toEqual({ supported: ["raw"], default: "raw" });
  const local = storages.find((storage: { storage: string }) => storage.storage === "local");
  expect(local.content.split(",").sort()).toEqual(["backup", "import", "iso", "snippets", "vztmpl"]);
});

test("an image is downloaded, and appears only at the end", async () => {
  const slow = await Bench.open({ timeScale: 20 });
  try {
    const url = imageUrl().replace(bench.factory, slow.factory);
    const upid = await slow.client.get("POST", `${AT}/download-url`, download({ url }));
    expect(upid).toMatch(/:download:talos\.qcow2:talosmith@pve!lab:$/);
    expect(await slow.client.get("GET", `${AT}/content`)).toEqual([]);
    expect((await slow.client.end(upid)).exitstatus).toBe("OK");
    const [file] = await slow.client.get("GET", `${AT}/content`, { content: "import" });
    expect(file).toMatchObject({ volid: "local:import/talos.qcow2", format: "qcow2", content: "import" });
  } finally {
    await slow.close();
  }
});

test("a download without checksum over an existing file is refused", async () => {
  await bench.image();
  expect(await bench.client.outcome("POST", `${AT}/download-url`, download())).toBe(
    "refusing to override existing file '/var/lib/vz/import/talos.qcow2'",
  );
});

test("an existing file with the right checksum is not downloaded again", async () => {
  await bench.image();
  const bytes = buildImage("qcow2", {
    version: "v1.13.9",
    platform: "nocloud",
    arch: "amd64",
    schematic: "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba",
    secureBoot: false,
  });
  const checksum = createHash("sha256").update(bytes).digest("hex");
  const end = await bench.client.task("POST", `${AT}/download-url`, download({ checksum, "checksum-algorithm": "sha256" }));
  expect(end.log).toContain("calculating checksum of existing file...OK, got correct file already, no need to download");
});

test("an existing file with another checksum stops the download", async () => {
  await bench.image();
  const form = download({ checksum: "0".repeat(64), "checksum-algorithm": "sha256" });
  const status = await bench.client.outcome("POST", `${AT}/download-url`, form);
  expect(status).toMatch(/^checksum mismatch: got '[0-9a-f]{64}' != expect '0{64}', aborting$/);
});

test("a download with a wrong checksum is discarded", async () => {
  const form = download({ checksum: "0".repeat(64), "checksum-algorithm": "sha256" });
  const status = await bench.client.outcome("POST", `${AT}/download-url`, form);
  expect(status).toMatch(/^checksum mismatch: got '[0-9a-f]{64}' != expect '0{64}'$/);
  expect(await bench.client.get("GET", `${AT}/content`)).toEqual([]);
});

test("a file missing on the server fails with wget's exit code", async () => {
  const form = download({ url: `${bench.factory}/image/none/v1.13.9/nocloud-amd64.qcow2` });
  expect(await bench.client.outcome("POST", `${AT}/download-url`, form)).toBe("download failed: exit code 8");
});

test("an unreachable server fails", async () => {
  const form = download({ url: `http://${bench.lab.address.host(99)}:1/talos.qcow2` });
  expect(await bench.client.outcome("POST", `${AT}/download-url`, form)).toContain("failed: Connection refused.");
});

test.each([
  ["import", "talos.img", "invalid filename or wrong extension"],
  ["import", "talos.raw.xz", "invalid filename or wrong extension"],
  ["iso", "talos.qcow2", "wrong file extension"],
  ["vztmpl", "debian.zip", "wrong file extension"],
])("content %s refuses the name %s", async (content, filename, problem) => {
  const answer = await bench.client.call("POST", `${AT}/download-url`, download({ content, filename }));
  expect([answer.status, answer.body.errors]).toEqual([400, { filename: problem }]);
});

test("a block storage does not accept files", async () => {
  const answer = await bench.client.call("POST", "/nodes/pve1/storage/local-lvm/download-url", download());
  expect(answer.reason).toBe("can't upload to storage type 'lvmthin', not a file based storage!");
});

test("a storage accepts only the content it is configured for", async () => {
  await bench.root.get("PUT", "/storage/local", { content: "iso" });
  const answer = await bench.client.call("POST", `${AT}/download-url`, download());
  expect(answer.reason).toBe("storage 'local' is not configured for content-type 'import'");
});

test("only ISOs can be decompressed, and not from xz", async () => {
  expect(await bench.client.outcome("POST", `${AT}/download-url`, download({ compression: "zst" }))).toBe(
    "decompression not supported for import",
  );
  const iso = download({ content: "iso", filename: "a.iso", compression: "xz" });
  expect(await bench.client.outcome("POST", `${AT}/download-url`, iso)).toBe("no decompression method found");
});

test("a checksum needs its algorithm", async () => {
  const answer = await bench.client.call("POST", `${AT}/download-url`, download({ checksum: "a" }));
  expect(answer.body.errors).toEqual({ "checksum-algorithm": "missing property required by 'checksum'" });
});

test("a download needs network access besides access to the storage", async () => {
  const user = await bench.userWith("nonet", { "/storage": "Datastore.AllocateTemplate" });
  const answer = await user.call("POST", `${AT}/download-url`, download());
  expect([answer.status, answer.reason]).toEqual([403, "Permission check failed"]);
});

test("an image of an unknown storage is a plain error", async () => {
  const answer = await bench.root.call("POST", "/nodes/pve1/storage/nas/download-url", download());
  expect([answer.status, answer.reason]).toEqual([500, "storage 'nas' does not exist"]);
  const status = await bench.root.call("GET", "/nodes/pve1/storage/nas/status");
  expect([status.status, status.body.errors]).toEqual([400, { storage: "No such storage." }]);
});

function upload(parts: [name: string, value: string | Buffer, filename?: string][]) {
  const chunks = parts.flatMap(([name, value, filename]) => [
    Buffer.from(
      `--XX\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n\r\n`,
    ),
    Buffer.from(value),
    Buffer.from("\r\n"),
  ]);
  const body = Buffer.concat([...chunks, Buffer.from("--XX--\r\n")]);
  return { headers: { "Content-Type": "multipart/form-data; boundary=XX", "Content-Length": String(body.length) }, body };
}

test("an upload is copied by a task without an id, and its name is sanitized", async () => {
  const answer = await bench.client.raw(
    "POST",
    `${AT}/upload`,
    upload([
      ["content", "iso"],
      ["filename", "bytes", "../my seed.iso"],
    ]),
  );
  expect(answer.body.data).toMatch(/:imgcopy::talosmith@pve!lab:$/);
  expect((await bench.client.end(answer.body.data)).exitstatus).toBe("OK");
  const [file] = await bench.client.get("GET", `${AT}/content`);
  expect(file).toMatchObject({ volid: "local:iso/my_seed.iso", format: "iso", size: 5 });
});

test("an upload without the right is refused with an empty body", async () => {
  const user = await bench.userWith("noup", { "/storage": "Datastore.Audit" });
  const answer = await user.raw("POST", `${AT}/upload`, upload([["content", "iso"]]));
  expect([answer.status, answer.reason, answer.text]).toEqual([
    403,
    "Permission check failed (/storage/local, Datastore.AllocateTemplate)",
    "",
  ]);
});

test("an upload with the file as first field loses its content type", async () => {
  const parts = upload([
    ["filename", "bytes", "a.iso"],
    ["content", "iso"],
  ]);
  const answer = await bench.client.raw("POST", `${AT}/upload`, parts);
  expect(answer.body.errors).toEqual({ content: "property is missing and it is not optional" });
});

test("a wrong checksum fails in the task of an upload", async () => {
  const parts = upload([
    ["content", "iso"],
    ["checksum-algorithm", "md5"],
    ["checksum", "0"],
    ["filename", "bytes", "a.iso"],
  ]);
  const answer = await bench.client.raw("POST", `${AT}/upload`, parts);
  const { exitstatus } = await bench.client.end(answer.body.data);
  expect(exitstatus).toBe("checksum mismatch: got '4b3a6218bb3e3a7303e8a171a60fcf92' != expect '0'");
});

test("deleting a file needs Datastore.Allocate, and a slash in its id may be encoded", async () => {
  await bench.image();
  await bench.image("pve1", "other.qcow2");
  const refused = await bench.client.call("DELETE", `${AT}/content/local:import/talos.qcow2`);
  expect(refused.reason).toBe("Permission check failed (/storage/local, Datastore.Allocate)");
  expect(await bench.root.get("DELETE", `${AT}/content/local:import/talos.qcow2`, { delay: 5 })).toBeNull();
  const upid = await bench.root.get("DELETE", `${AT}/content/${encodeURIComponent("local:import/other.qcow2")}`);
  expect(upid).toMatch(/:imgdel:local:root@pam:$/);
  await bench.root.end(upid);
  expect(await bench.client.get("GET", `${AT}/content`)).toEqual([]);
});

test("a disk with written data uses space, a disk without data uses none", async () => {
  await bench.image();
  const free = async () => (await bench.client.get("GET", "/nodes/pve1/storage/local-lvm/status")).avail;
  const before = await free();
  await bench.client.task("POST", "/nodes/pve1/qemu", { vmid: 100, scsi0: "local-lvm:100" });
  expect(await free()).toBe(before);
  await bench.client.task("POST", "/nodes/pve1/qemu", { vmid: 101, scsi0: "local-lvm:0,import-from=local:import/talos.qcow2" });
  // 1246 MiB are not a multiple of the extent size, 4 MiB.
  expect(before - (await free())).toBe(1248 * 1024 ** 2);
  await bench.client.task("DELETE", "/nodes/pve1/qemu/101");
  expect(await free()).toBe(before);
});
