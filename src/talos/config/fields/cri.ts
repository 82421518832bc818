import { FREE, type Kinds, replaced, since } from "./notation.ts";

/** Settings of containerd: containers and registries. */
export const CRI: Kinds = {
  CRIBaseRuntimeSpecConfig: since("1.14", { overrides: replaced(FREE) }),
  CRICustomizationConfig: since("1.14", { name: "text", content: "text" }),
  ImageCacheConfig: since("1.14", { local: { "enabled?": "bool" } }),
  RegistryAuthConfig: { name: "text", username: "text", password: "text", auth: "text", identityToken: "text" },
  RegistryMirrorConfig: { name: "text", endpoints: [{ url: "url", "overridePath?": "bool" }], "skipFallback?": "bool" },
  RegistryTLSConfig: {
    name: "text",
    "clientIdentity?": { cert: "text", key: "text" },
    ca: "text",
    "insecureSkipVerify?": "bool",
  },
};
