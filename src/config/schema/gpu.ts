import { choice } from "./value.ts";

export const gpu = (about: string) =>
  choice({
    about,
    of: ["nvidia", "nvidia-lts", "nvidia-nonfree", "nvidia-nonfree-lts"],
    planned: {
      intel: "remove it, and add what the GPU needs: extensions: [siderolabs/i915]",
      amd: "remove it, and add what the GPU needs: extensions: [siderolabs/amdgpu]",
    },
  }).optional();
