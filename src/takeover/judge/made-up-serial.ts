/** What QEMU makes up for a disk that was given no serial: the same on every server, so it tells none from another. */
const MADE_UP = /^(0?QEMU_QEMU_HARDDISK_)?(QM0000\d|drive-(scsi|sata|ide|virtio)\d[\d-]*)$/;

export function isMadeUpSerial(serial: string): boolean {
  return MADE_UP.test(serial);
}
