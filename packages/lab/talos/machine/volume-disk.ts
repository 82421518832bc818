/** The name of a volume's disk in Talos's state: it is kept when the volume moves, and a new volume of the same name is empty. */
export function volumeDisk(serial: number): string {
  return `volume ${serial}`;
}
