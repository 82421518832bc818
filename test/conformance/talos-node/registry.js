// A registry with the images of a list, each of one layer: [{ name, layer, config }]. node registry.js ADDRESS PORT IMAGES.json
import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { createServer } from "node:http";

const [address, port, list] = process.argv.slice(2);

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const architecture = { x64: "amd64" }[process.arch] ?? process.arch;
const digestOf = (bytes) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const described = (mediaType, bytes) => ({ mediaType, digest: digestOf(bytes), size: bytes.length });
const encoded = (value) => Buffer.from(JSON.stringify(value));

const answers = new Map([["/v2/", { type: "application/json", size: 2, bytes: encoded({}) }]]);
for (const image of JSON.parse(readFileSync(list, "utf8"))) add(image);

/** "registry.k8s.io/etcd:v3.6.12": a mirror is not asked for the registry's name. */
function add({ name, layer, config = {} }) {
  const [, repository, tag] = /^[^/]+\/(.+):([^:]+)$/.exec(name);
  const content = described("application/vnd.oci.image.layer.v1.tar", readFileSync(layer));
  const settings = encoded({ architecture, os: "linux", config, rootfs: { type: "layers", diff_ids: [content.digest] } });
  const about = described("application/vnd.oci.image.config.v1+json", settings);
  const manifest = encoded({ schemaVersion: 2, mediaType: MANIFEST, config: about, layers: [content] });
  const digest = digestOf(manifest);
  const blob = { type: "application/octet-stream" };
  answers.set(`/v2/${repository}/blobs/${content.digest}`, { ...blob, size: content.size, file: layer });
  answers.set(`/v2/${repository}/blobs/${about.digest}`, { ...blob, size: about.size, bytes: settings });
  for (const reference of [tag, digest])
    answers.set(`/v2/${repository}/manifests/${reference}`, { type: MANIFEST, size: manifest.length, bytes: manifest, digest });
}

createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://registry");
  const found = answers.get(pathname);
  console.log(`${found ? 200 : 404} ${request.method} ${request.url}`);
  if (found === undefined) return response.writeHead(404).end();
  response.writeHead(200, {
    "content-type": found.type,
    "content-length": found.size,
    ...(found.digest && { "docker-content-digest": found.digest }),
  });
  if (request.method === "HEAD") return response.end();
  if (found.file) return createReadStream(found.file).pipe(response);
  return response.end(found.bytes);
}).listen(Number(port), address, () => console.log("ready"));
