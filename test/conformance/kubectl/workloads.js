import assert from "node:assert/strict";

const NAMESPACE = "workloads";

const DEPLOYMENT = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "registry.example/nginx:1.27", ports: [{ containerPort: 80 }] }] },
    },
  },
});

const JOB = JSON.stringify({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "once" },
  spec: {
    template: {
      spec: {
        restartPolicy: "Never",
        containers: [{ name: "say", image: "busybox:1.37", command: ["sh", "-c", "echo one; echo two"] }],
      },
    },
  },
});

/** What runs: rolled out, scaled, finished, read, moved to another node. */
export async function workloads(ask) {
  await ask(["create", "namespace", NAMESPACE]);
  const here = (args, input) => ask(["-n", NAMESPACE, ...args], input);
  await here(["apply", "-f", "-"], DEPLOYMENT);
  await here(["apply", "-f", "-"], JOB);
  assert.match(
    await here(["rollout", "status", "deployment/web", "--timeout=300s"]),
    /successfully rolled out/,
    "rollout status",
  );
  assert.equal(await here(["scale", "deployment", "web", "--replicas=3"]), "deployment.apps/web scaled\n", "scale");
  await here(["wait", "deployment/web", "--for=jsonpath={.status.readyReplicas}=3", "--timeout=300s"]);
  assert.match(await here(["get", "deployment", "web", "-o", "wide"]), /web +3\/3 +3 +3 .*nginx:1\.27 +app=web/, "get -o wide");
  await here(["set", "image", "deployment/web", "web=registry.example/nginx:1.28"]);
  await here(["rollout", "status", "deployment/web", "--timeout=300s"]);
  assert.match(await here(["rollout", "history", "deployment/web"]), /^2 /m, "rollout history");
  assert.match(
    await here(["describe", "deployment", "web"]),
    /3 desired \| 3 updated \| 3 total \| 3 available[\s\S]*NewReplicaSetAvailable[\s\S]*Scaled up replica set/,
    "describe deployment",
  );
  assert.match(
    await here(["describe", "pod", "-l", "app=web"]),
    /Controlled By: +ReplicaSet\/web-[\s\S]*Successfully assigned workloads\/web-\S+ to worker-/,
    "describe pod",
  );
  const watched = await here(["get", "pods", "-l", "app=web", "-w", "--no-headers", "--request-timeout=3s"]).catch(
    (error) => error,
  );
  assert.match(String(watched.message ?? watched), /web-\S+ +1\/1 +Running/, "get -w");

  assert.match(await here(["wait", "job/once", "--for=condition=complete", "--timeout=300s"]), /condition met/, "wait");
  assert.equal(await here(["logs", "job/once"]), "one\ntwo\n", "logs");
  assert.equal(await here(["logs", "job/once", "--tail=1", "--follow"]), "two\n", "logs --tail");
  await assert.rejects(
    here(["logs", "job/once", "-c", "other"]),
    /container other is not valid for pod once-/,
    "logs of nothing",
  );
  await assert.rejects(
    here(["logs", "job/once", "--previous"]),
    /previous terminated container "say" in pod "once-\w+" not found/,
    "logs --previous",
  );
  assert.match(await here(["describe", "job", "once"]), /1 Succeeded \/ 0 Failed[\s\S]*Job completed/, "describe job");

  await ask(["cordon", "worker-1"]);
  await ask(["drain", "worker-1", "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=300s"]);
  const left = await here(["get", "pods", "-l", "app=web", "--field-selector=spec.nodeName=worker-1", "-o", "name"]);
  assert.equal(left, "", "drain");
  await ask(["uncordon", "worker-1"]);
  assert.match(await ask(["describe", "node", "worker-1"]), /Unschedulable: +false[\s\S]*InternalIP/, "describe node");

  await here(["delete", "deployment", "web", "--cascade=foreground", "--timeout=300s"]);
  assert.equal(await here(["get", "replicasets,pods", "-l", "app=web", "-o", "name"]), "", "delete --cascade=foreground");
  await ask(["delete", "namespace", NAMESPACE, "--timeout=300s"]);
}
