/**
 * Folders of volumes, or below one: Talos gives those to kubelets by itself, and makes a directory of the system disk when a directory volume of that name is all there
 * is. Of other folders only Talos's old config format can say that kubelets pass them on: from v1.14 on its KubeletConfig has no extra mounts any more.
 */
export const IN_A_VOLUME = /^\/var\/mnt\/([A-Za-z0-9-]{1,34})(?:\/|$)/;
