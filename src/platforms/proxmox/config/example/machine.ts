/** Settings of virtual machines, for the lines below `all:` of the defaults. */
export const machineLines = `    # cpu: x86-64-v2-AES § processor type; default: host with one Proxmox host, this with several
    # cpuFlags: [+aes] § flags to add (+) or remove (-)
    # sockets: 1 § each with this number of cores
    # numa: true § each socket has its own memory; default: only with hugepages
    # cpuUnits: 200 § CPU weight relative to other machines of the host; default: 100
    # affinity: "0-3,8" § cores of the host; needs root@pam and its password
    # balloon: 2GiB § minimum memory with ballooning; default: false, no ballooning
    # hugepages: 1GiB § or 2MiB, or true for any; needs root@pam and its password
    # machine: q35 § or i440fx, or pinned: pc-q35-9.2
    # firmware: ovmf § or seabios; default: ovmf with pci devices or Secure Boot, else seabios
    # tpm: true § for encryption: tpm
    # controller: virtio-scsi-pci § or virtio, or virtio-scsi-single (Talos can hang with it)
    # diskFlags: { discard: true, ssd: true, iothread: false, cache: none, backup: true } § options of all disks
    # serial: true § a serial console
    # display: std § or virtio, none …
    # agent: true § default: when the image has siderolabs/qemu-guest-agent
    # startup: { order: 1, up: 30, down: 60 } § order and delays at start and stop of the host; needs Sys.Modify on /
    # pool: talos § instead of proxmox.pool
    # protection: true § refuse to remove the machine
    # description: under the stairs § notes in Proxmox`;

/** A node with settings that few nodes need. */
export const specialNode = `  # A worker with a GPU, a disk that is kept when it is replaced, and a second network card.
  # - name: gpu-1
  #   role: worker
  #   ip: 10.10.0.31
  #   pci: [{ mapping: rtx4090, gpu: nvidia }] § or { address: 0000:01:00 }, which needs root@pam and its password
  #   usb: [{ mapping: zigbee }] § or { id: "046d:c52b" }, likewise
  #   disks:
  #     - size: 500GiB
  #       storage: ceph § default: that of the system disk
  #       volume: models § mounted at /var/mnt/models; without it, Talos leaves the disk to workloads
  #       raw: false § true: a volume without a file system
  #       name: models § also its serial number; default: the volume's name
  #       keep: true § kept when the machine is removed or replaced, and attached to the next one
  #       flags: { backup: false } § instead of diskFlags
  #   nics:
  #     - bridge: vmbr1 § default: the node's
  #       vlan: 20
  #       ip: 10.20.0.31/24 § with count that of the first node; or dhcp: true
  #       queues: 4
  #       firewall: true § Proxmox's firewall on this card
`;
