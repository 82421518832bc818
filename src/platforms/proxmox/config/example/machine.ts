/** What can be said of virtual machines, for the lines below `all:` of the defaults. */
export const machineLines = `    # cpu: x86-64-v2-AES § processor type; default: host with one Proxmox host, this with several
    # cpuFlags: [+aes] § added to it (+) or taken from it (-)
    # sockets: 1 § each with all the cores
    # numa: true § each socket has memory of its own; default: only with hugepages
    # cpuUnits: 200 § weight against other machines of its host; default: 100
    # affinity: "0-3,8" § cores of its host; needs root@pam and a password
    # balloon: 2GiB § what the host may take memory back down to; default: false, all of it stays
    # hugepages: 1GiB § or 2MiB, or true for any; needs root@pam and a password
    # machine: q35 § or i440fx, or pinned: pc-q35-9.2
    # firmware: ovmf § or seabios; default: ovmf with pci devices or Secure Boot, else seabios
    # tpm: true § for encryption: tpm
    # controller: virtio-scsi-pci § or virtio, or virtio-scsi-single, with which Talos has been seen to hang
    # diskFlags: { discard: true, ssd: true, iothread: false, cache: none, backup: true } § of all disks
    # serial: true § a serial console
    # display: std § or virtio, none …
    # agent: true § default: when the image has siderolabs/qemu-guest-agent
    # startup: { order: 1, up: 30, down: 60 } § when it starts and stops with its host; needs Sys.Modify on /
    # pool: talos § instead of proxmox.pool
    # protection: true § refuse to remove it
    # description: under the stairs § notes in Proxmox`;

/** A node with what most have not. */
export const specialNode = `  # A worker with a GPU, a disk that outlives it and a second network card.
  # - name: gpu-1
  #   role: worker
  #   ip: 10.10.0.31
  #   pci: [{ mapping: rtx4090, gpu: nvidia }] § or { address: 0000:01:00 }, which needs root@pam and a password
  #   usb: [{ mapping: zigbee }] § or { id: "046d:c52b" }, likewise
  #   disks:
  #     - size: 500GiB
  #       storage: ceph § default: as the system disk
  #       volume: models § mounted at /var/mnt/models; without it the disk is left to a workload
  #       raw: false § true: a volume without a file system
  #       name: models § becomes its serial number; default: the volume's name
  #       keep: true § removing or replacing the machine leaves it, and the next one gets it back
  #       flags: { backup: false } § instead of diskFlags
  #   nics:
  #     - bridge: vmbr1 § default: the node's
  #       vlan: 20
  #       ip: 10.20.0.31/24 § with count of the first one; or dhcp: true
  #       queues: 4
  #       firewall: true § Proxmox's, on this card
`;
