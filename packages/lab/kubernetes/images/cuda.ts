import type { Image } from "../pods/program.ts";

/** A CUDA base image. It does not contain nvidia-smi, which comes with the driver in every container that has a GPU. */
export const cuda: Image = {
  name: "nvidia/cuda",
  pullMs: 6000,
  entrypoint: ["/opt/nvidia/nvidia_entrypoint.sh"],
  program: async (run) => {
    const [command = ""] = run.argv;
    const devices = (run.env.NVIDIA_VISIBLE_DEVICES ?? "").split(",").filter((id) => id.startsWith("GPU-"));
    if (command.replace(/^.*\//, "") !== "nvidia-smi" || devices.length === 0) {
      run.log(`exec: ${JSON.stringify(command)}: executable file not found in $PATH`);
      return 127;
    }
    for (const [n, id] of devices.entries()) run.log(`GPU ${n}: NVIDIA GPU (UUID: ${id})`);
    return 0;
  },
};
