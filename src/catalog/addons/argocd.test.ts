import { expect, test } from "vitest";
import { type ArgocdOptions, argocd } from "./argocd.ts";
import { FACTS, GIT, KEY, objectsIn, PASSWORD, releaseIn, textsOf } from "./testing/sample.ts";

const make = (options: ArgocdOptions) => argocd.make(options, FACTS);

test("without a repository only Argo CD itself is installed", () => {
  expect(make({}).parts.map(({ kind }) => kind)).toEqual(["release"]);
});

test("a public repository needs no Secret", () => {
  expect(make({ url: "https://github.com/somebody/cluster" }).parts.map(({ name }) => name)).toEqual(["argocd", "sync"]);
});

// Argo CD's operator manual, declarative setup: repositories.
test("a repository is a Secret with a label", () => {
  const [, secret] = objectsIn(make(GIT), "access");
  expect(secret?.metadata.labels).toEqual({ "argocd.argoproj.io/secret-type": "repository" });
  expect(textsOf(secret)).toEqual({ type: "git", url: GIT.url, sshPrivateKey: KEY.reveal() });
  const [, https] = objectsIn(make({ url: "https://example.org/cluster.git", password: PASSWORD }), "access");
  expect(textsOf(https)).toMatchObject({ username: "git", password: PASSWORD.reveal() });
});

test("keys of a host go to the chart, which knows some itself", () => {
  expect(releaseIn(make({ ...GIT, knownHosts: "git.example.org ssh-ed25519 AAAA" })).values).toEqual({
    configs: { ssh: { extraHosts: "git.example.org ssh-ed25519 AAAA" } },
  });
});

test("the root application follows the folder of the repository, and keeps what is there like it", () => {
  expect(objectsIn(make(GIT), "sync")).toMatchObject([
    {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      metadata: { name: "root", namespace: "argocd" },
      spec: {
        source: { repoURL: GIT.url, targetRevision: "main", path: "clusters/homelab" },
        syncPolicy: { automated: { prune: true, selfHeal: true } },
      },
    },
  ]);
});

test.each([
  ["./", "."],
  ["./clusters/homelab/", "clusters/homelab"],
  ["apps", "apps"],
])("the folder %j is %j to Argo CD", (path, shown) => {
  expect(objectsIn(make({ url: "https://example.org/cluster.git", path }), "sync")[0]?.spec).toMatchObject({
    source: { path: shown },
  });
});
