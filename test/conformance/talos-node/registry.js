// A registry with one image, etcd: one layer with one program. node registry.js ADDRESS PORT LAYER.tar
import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { createServer } from "node:http";

const [address, port, layer] = process.argv.slice(2);

const digestOf = (bytes) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const described = (mediaType, bytes) => ({ mediaType, digest: digestOf(bytes), size: bytes.length });

const program = described("application/vnd.oci.image.layer.v1.tar", readFileSync(layer));
const architecture = { x64: "amd64" }[process.arch] ?? process.arch;
const config = Buffer.from(
  JSON.stringify({ architecture, os: "linux", config: {}, rootfs: { type: "layers", diff_ids: [program.digest] } }),
);
const manifest = Buffer.from(
  JSON.stringify({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: described("application/vnd.oci.image.config.v1+json", config),
    layers: [program],
  }),
);

const answers = new Map([
  ["/v2/", { type: "application/json", size: 2, bytes: Buffer.from("{}") }],
  [`/v2/etcd/blobs/${program.digest}`, { type: "application/octet-stream", size: program.size, file: layer }],
  [`/v2/etcd/blobs/${digestOf(config)}`, { type: "application/octet-stream", size: config.length, bytes: config }],
]);
const image = { type: "application/vnd.oci.image.manifest.v1+json", size: manifest.length, bytes: manifest };

createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://registry");
  const found = answers.get(pathname) ?? (pathname.startsWith("/v2/etcd/manifests/") ? image : undefined);
  console.log(`${found ? 200 : 404} ${request.method} ${request.url}`);
  if (found === undefined) return response.writeHead(404).end();
  response.writeHead(200, {
    "content-type": found.type,
    "content-length": found.size,
    ...(found === image && { "docker-content-digest": digestOf(manifest) }),
  });
  if (request.method === "HEAD") return response.end();
  if (found.file) return createReadStream(found.file).pipe(response);
  return response.end(found.bytes);
}).listen(Number(port), address, () => console.log("ready"));
