/** The name of a volume's disk in Talos's state: it moves with the volume, and a new volume of the same name is empty. */
export function volumeDisk(serial: number): string {
  return `volume ${serial}`;
}
