import { createPrivateKey, type KeyObject } from "node:crypto";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import type { Lab, RunningLab, Service } from "../../kernel/kernel.ts";
import { createLab } from "../../kernel/lab.ts";
import { type ControlPlaneView, NODES_CHANGED, type NodeView, type TalosLab } from "../../talos/view.ts";
import { kubernetesService } from "../service.ts";
import { type Credentials, type OpenStream, open, type RawAnswer, send } from "./raw-client.ts";

const VALID = { notBefore: new Date("2025-01-01T00:00:00Z"), notAfter: new Date("2045-01-01T00:00:00Z") };

/** Talos machines from a fixed list that tests change. */
function machines(first: readonly NodeView[]): Service & TalosLab {
  return {
    name: "talos",
    initial: () => ({ nodes: first }),
    endpoints: async () => [],
    nodes: (lab) => lab.state<{ nodes: NodeView[] }>("talos").nodes,
  };
}

export interface BenchOptions {
  seed?: string;
  timeScale?: number | "instant";
  controlPlanes?: number;
  workers?: number;
  settings?: Partial<ControlPlaneView>;
  services?: readonly Service[];
}

/** A lab with one cluster. Its machines have addresses outside the lab's block, which are mapped. */
export class Bench {
  readonly lab: RunningLab;
  readonly ca: string;
  readonly #caKey: KeyObject;
  readonly admin: Person;

  private constructor(lab: RunningLab, ca: string, caKey: KeyObject, admin: Credentials) {
    this.lab = lab;
    this.ca = ca;
    this.#caKey = caKey;
    this.admin = this.person(admin);
  }

  static async open(options: BenchOptions = {}): Promise<Bench> {
    const { controlPlanes = 1, workers = 1, settings, seed = "bench", timeScale = "instant", services = [] } = options;
    const world = realWorld({ timeScale: 1 });
    const [ca, account] = [await world.keys.p256(), await world.keys.p256()];
    const pem = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString();
    const certificate = createCertificate({
      ...VALID,
      subject: { organizations: ["kubernetes"] },
      publicKey: ca.publicKey,
      issuer: { key: ca.privateKey },
      serial: world.random.bytes(16),
      ca: {},
      keyUsage: ["digitalSignature", "keyCertSign"],
    });
    const control: ControlPlaneView = {
      etcd: true,
      etcdCluster: "first",
      endpoint: "https://10.10.0.11:6443",
      ca: { certificate, key: pem(ca.privateKey) },
      aggregatorCa: { certificate },
      serviceAccountKey: pem(account.privateKey),
      certSans: [],
      kubernetes: "v1.36.3",
      bootstrapToken: "abcdef.0123456789abcdef",
      podSubnets: ["10.244.0.0/16"],
      serviceSubnets: ["10.96.0.0/12"],
      dnsDomain: "cluster.local",
      cni: "flannel",
      proxy: true,
      coreDns: true,
      schedulable: false,
      podSecurity: { enforce: "baseline", exemptNamespaces: ["kube-system"] },
      inlineManifests: [],
      ...settings,
    };
    const nodes = [
      ...Array.from({ length: controlPlanes }, (_, n) => machine(`cp-${n + 1}`, `10.10.0.${11 + n}`, control)),
      ...Array.from({ length: workers }, (_, n) => machine(`worker-${n + 1}`, `10.10.0.${21 + n}`)),
    ];
    const lab = await createLab(world, { seed, timeScale, services: [machines(nodes), kubernetesService(), ...services] });
    await lab.start();
    lab.turn(() => lab.schedule(NODES_CHANGED, 0, null));
    const admin = certificateFor(
      lab,
      certificate,
      ca.privateKey,
      { user: "admin", groups: ["system:masters"] },
      await world.keys.p256(),
    );
    const bench = new Bench(lab, certificate, ca.privateKey, admin);
    await bench.admin.answers();
    return bench;
  }

  get server(): string {
    return `https://${this.lab.address.host(11)}:6443`;
  }

  person(who: Credentials): Person {
    return new Person(this, { ca: this.ca, ...who });
  }

  /** A client with a certificate of the cluster's CA. */
  async user(user: string, groups: string[] = []): Promise<Person> {
    return this.person(certificateFor(this.lab, this.ca, this.#caKey, { user, groups }, await this.lab.world.keys.p256()));
  }

  /** Changes the machines; the cluster reacts. */
  change(work: (nodes: NodeView[]) => NodeView[]): void {
    this.lab.turn(() => {
      const state = this.lab.state<{ nodes: NodeView[] }>("talos");
      state.nodes = work(state.nodes);
      this.lab.schedule(NODES_CHANGED, 0, null);
    });
  }

  /** Repeats the check until it holds. */
  async until<T>(look: () => Promise<T | undefined | false>, what = "it"): Promise<T> {
    const end = performance.now() + 15_000;
    for (;;) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      if (performance.now() > end) throw new Error(`${what} did not come about`);
      await new Promise((again) => setTimeout(again, 5));
    }
  }

  close(): Promise<void> {
    return this.lab.close();
  }
}

export function machine(name: string, address: string, controlPlane?: ControlPlaneView): NodeView {
  return {
    cluster: "cluster-id",
    clusterName: "bench",
    name,
    address,
    nodeIp: address,
    role: controlPlane ? "controlplane" : "worker",
    machineId: `0000-${name}`,
    bootId: `boot-1-${name}`,
    talos: "v1.13.9",
    kernel: "6.18.0-talos",
    cpus: 4,
    memoryMiB: 8192,
    diskGiB: 40,
    kubelet: { running: true, version: "v1.36.3", labels: {}, annotations: {}, taints: [] },
    ...(controlPlane && { controlPlane }),
  };
}

function certificateFor(
  lab: Lab,
  ca: string,
  caKey: KeyObject,
  who: { user: string; groups: string[] },
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
): Credentials {
  const certificate = createCertificate({
    ...VALID,
    subject: { commonName: who.user, organizations: who.groups },
    publicKey,
    issuer: { certificate: ca, key: createPrivateKey(caKey.export({ type: "pkcs8", format: "pem" })) },
    serial: lab.world.random.bytes(16),
    keyUsage: ["digitalSignature", "keyEncipherment"],
    extKeyUsage: ["clientAuth"],
  });
  return { ca, certificate, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** A client of the API. */
export class Person {
  readonly #bench: Bench;
  readonly who: Credentials;

  constructor(bench: Bench, who: Credentials) {
    this.#bench = bench;
    this.who = who;
  }

  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<RawAnswer> {
    return send(`${this.#bench.server}${path}`, this.who, { method, headers, ...(body !== undefined && { body }) });
  }

  /** The body of a response, which must be successful. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  async get(path: string): Promise<any> {
    const answer = await this.call("GET", path);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  async create(path: string, object: unknown): Promise<any> {
    const answer = await this.call("POST", path, object);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  patch(path: string, type: string, body: unknown): Promise<RawAnswer> {
    return this.call("PATCH", path, body, { "content-type": type });
  }

  apply(path: string, object: unknown, manager = "test", force = false): Promise<RawAnswer> {
    return this.patch(`${path}?fieldManager=${manager}${force ? "&force=true" : ""}`, "application/apply-patch+yaml", object);
  }

  stream(path: string): Promise<OpenStream> {
    return open(`${this.#bench.server}${path}`, this.who);
  }

  /** Waits until an API server answers. */
  async answers(): Promise<void> {
    for (let n = 0; n < 2000; n++) {
      const status = await this.call("GET", "/readyz").then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) return;
      await new Promise((again) => setTimeout(again, 2));
    }
    throw new Error("no API server");
  }
}
