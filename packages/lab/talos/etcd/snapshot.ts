import { createHash } from "node:crypto";
import type { Lab } from "../../kernel/kernel.ts";
import type { EtcdCluster } from "../state.ts";
import { type KubernetesLab, NODES_CHANGED, type StoredKey, type StoredKeys } from "../view.ts";
import { boltDatabase } from "./bolt.ts";

const NOTHING: StoredKeys = { revision: 1, keys: [] };

/** The stream of etcd's Snapshot: its database, followed by the database's SHA-256 (server/etcdserver/api/v3rpc/maintenance.go of etcd). */
export function etcdSnapshot(lab: Lab, cluster: EtcdCluster, version: string): Buffer {
  const kubernetes = lab.handles(NODES_CHANGED) ? lab.service<KubernetesLab>("kubernetes") : undefined;
  const database = etcdDatabase(cluster, kubernetes?.stored?.(lab, cluster.cluster, cluster.id) ?? NOTHING, version);
  return Buffer.concat([database, createHash("sha256").update(database).digest()]);
}

/** The buckets of server/storage/schema/bucket.go, including those that stay empty on Talos. */
function etcdDatabase({ members, term }: EtcdCluster, { revision, keys }: StoredKeys, version: string): Buffer {
  const [major, minor] = version.split(".");
  const text = (name: string, value: string) => [Buffer.from(name), Buffer.from(value)] as const;
  const number = (name: string, value: number) => [Buffer.from(name), uint64(value)] as const;
  const voters = members.filter(({ learner }) => !learner).map(({ id }) => BigInt(`0x${id}`));
  return boltDatabase({
    alarm: [],
    auth: [],
    authRoles: [],
    authUsers: [],
    cluster: [text("clusterVersion", `${major}.${minor}.0`)],
    key: keys.map((key) => [revisionKey(key.revision), keyValue(key)]),
    lease: [],
    members: members.map(({ id, name, address, learner }) => {
      const urls = { peerURLs: [`https://${address}:2380`], clientURLs: [`https://${address}:2379`] };
      return text(
        id,
        `{"id":${BigInt(`0x${id}`)},${JSON.stringify({ ...urls, name, ...(learner && { isLearner: true }) }).slice(1)}`,
      );
    }),
    members_removed: [],
    meta: [
      text("confState", `{"voters":[${voters.join(",")}],"auto_leave":false}`),
      // Every revision, election and member change is a raft entry.
      number("consistent_index", revision + term + members.length),
      number("term", term),
      text("storageVersion", `${major}.${minor}.0`),
    ],
  });
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** Main revision, underscore, number within the transaction. */
function revisionKey(revision: number): Buffer {
  return Buffer.concat([uint64(revision), Buffer.from("_"), uint64(0)]);
}

/** mvccpb.KeyValue: key 1, create_revision 2, mod_revision 3, version 4, value 5. */
function keyValue({ key, value, revision }: StoredKey): Buffer {
  const bytes = (field: number, content: string) => {
    const text = Buffer.from(content);
    return [Buffer.from([(field << 3) | 2]), varint(text.length), text];
  };
  const number = (field: number, content: number) => [Buffer.from([field << 3]), varint(content)];
  return Buffer.concat([...bytes(1, key), ...number(2, revision), ...number(3, revision), ...number(4, 1), ...bytes(5, value)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}
