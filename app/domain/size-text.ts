// Sizes for display.

const KB = 1024
const MB = KB * 1024
const GB = MB * 1024

/** `0 KB`, `340 KB`, `12 MB`, `1.4 GB`: two digits are precise enough to act on. */
export function sizeText(bytes: number): string {
  if (bytes < MB) return `${Math.ceil(bytes / KB)} KB`
  if (bytes < 10 * MB) return `${(bytes / MB).toFixed(1)} MB`
  if (bytes < GB) return `${Math.round(bytes / MB)} MB`
  return `${(bytes / GB).toFixed(bytes < 10 * GB ? 1 : 0)} GB`
}
