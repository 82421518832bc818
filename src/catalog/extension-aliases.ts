/** Former names of extensions, and what the image factory builds for them; its list has only the present ones (docs/facts/talos.md#images). */
export const EXTENSION_ALIASES: Readonly<Record<string, string>> = {
  "siderolabs/amdgpu-firmware": "siderolabs/amdgpu",
  "siderolabs/gasket": "siderolabs/gasket-driver",
  "siderolabs/i915-ucode": "siderolabs/i915",
  "siderolabs/nonfree-kmod-nvidia": "siderolabs/nonfree-kmod-nvidia-lts",
  "siderolabs/nvidia-container-toolkit": "siderolabs/nvidia-container-toolkit-lts",
  "siderolabs/nvidia-open-gpu-kernel-modules": "siderolabs/nvidia-open-gpu-kernel-modules-lts",
  "siderolabs/talos-vmtoolsd": "siderolabs/vmtoolsd-guest-agent",
  "siderolabs/usb-modem": "siderolabs/usb-modem-drivers",
  "siderolabs/v4l-uvc": "siderolabs/v4l-uvc-drivers",
  "siderolabs/xe-guest-utilities": "siderolabs/xen-guest-agent",
};
