import { Secret } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import { type FluxOptions, flux } from "./flux.ts";
import { FACTS, GIT, KEY, objectsIn, PASSWORD, releaseIn, textsOf } from "./testing/sample.ts";

const make = (options: Partial<FluxOptions> = {}) => flux.make({ ...GIT, ...options }, FACTS);
const access = (options: Partial<FluxOptions> = {}) => objectsIn(make(options), "access");

// sops-age first, then the controllers, then what they follow (docs/facts/kubernetes.md#flux-without-its-cli).
test("keys come before the controllers, and what they follow after them", () => {
  expect(make().parts.map(({ kind, name }) => [kind, name])).toEqual([
    ["objects", "access"],
    ["age-key", "age-key"],
    ["release", "flux2"],
    ["objects", "sync"],
  ]);
});

test("the environment's age key goes where kustomize-controller looks for one", () => {
  expect(make().parts[1]).toEqual({
    kind: "age-key",
    name: "age-key",
    secret: { namespace: "flux-system", name: "sops-age", key: "age.agekey" },
  });
});

test("an age key of one's own takes its place", () => {
  const addon = make({ ageKey: new Secret("AGE-SECRET-KEY-1EXAMPLE") });
  expect(addon.parts.map(({ kind }) => kind)).toEqual(["objects", "release", "objects"]);
  const secret = objectsIn(addon, "access").find(({ metadata }) => metadata.name === "sops-age");
  expect(textsOf(secret)).toEqual({ "age.agekey": "AGE-SECRET-KEY-1EXAMPLE" });
});

test("a deploy key comes with the keys of its host", () => {
  const [, secret] = access();
  expect(secret).toMatchObject({ kind: "Secret", metadata: { name: "flux-system", namespace: "flux-system" }, type: "Opaque" });
  expect(textsOf(secret)).toEqual({ identity: KEY.reveal(), known_hosts: expect.stringMatching(/^github\.com ssh-ed25519 /) });
  expect(textsOf(access({ knownHosts: "git.example.org ssh-ed25519 AAAA\n" })[1])).toMatchObject({
    known_hosts: "git.example.org ssh-ed25519 AAAA\n",
  });
});

test("over HTTPS there is a user with a password, or a token, or nothing at all", () => {
  const https = { url: "https://github.com/somebody/cluster", key: undefined as never };
  expect(textsOf(access({ ...https, username: "git", password: PASSWORD })[1])).toEqual({
    username: "git",
    password: PASSWORD.reveal(),
  });
  expect(textsOf(access({ ...https, password: PASSWORD })[1])).toEqual({ bearerToken: PASSWORD.reveal() });
  expect(access(https)).toHaveLength(1);
  expect(objectsIn(make(https), "sync")[0]?.spec).not.toHaveProperty("secretRef");
});

// docs/facts/kubernetes.md#flux-without-its-cli; the fields are Flux's own: test/conformance/charts reads them with its Go types.
test("the repository is followed, and its secrets are opened", () => {
  const metadata = { name: "flux-system", namespace: "flux-system" };
  expect(objectsIn(make(), "sync")).toEqual([
    {
      apiVersion: "source.toolkit.fluxcd.io/v1",
      kind: "GitRepository",
      metadata,
      spec: {
        interval: "1m",
        url: "ssh://git@github.com/somebody/cluster.git",
        ref: { branch: "main" },
        secretRef: { name: "flux-system" },
      },
    },
    {
      apiVersion: "kustomize.toolkit.fluxcd.io/v1",
      kind: "Kustomization",
      metadata,
      spec: {
        interval: "10m",
        path: "./clusters/homelab",
        prune: true,
        deletionPolicy: "Orphan",
        sourceRef: { kind: "GitRepository", name: "flux-system" },
        decryption: { provider: "sops", secretRef: { name: "sops-age" } },
      },
    },
  ]);
});

test("as Flux itself does, it leaves the two image controllers out", () => {
  expect(releaseIn(make()).values).toEqual({
    imageAutomationController: { create: false },
    imageReflectionController: { create: false },
  });
});
