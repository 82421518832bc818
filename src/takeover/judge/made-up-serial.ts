/** QEMU's default serials, the same on every server, which therefore identify none. */
const MADE_UP = /^(0?QEMU_QEMU_HARDDISK_)?(QM0000\d|drive-(scsi|sata|ide|virtio)\d[\d-]*)$/;

export function isMadeUpSerial(serial: string): boolean {
  return MADE_UP.test(serial);
}
