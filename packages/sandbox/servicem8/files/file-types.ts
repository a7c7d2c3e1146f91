// A file's type by its extension, and sample content for files that seed data only names.
import { docxBytes, jpegBytes, pdfBytes } from './document-bytes.ts'

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

const MEDIA_TYPES = new Map([
  ['.pdf', 'application/pdf'],
  ['.docx', WORD],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.png', 'image/png'],
  ['.txt', 'text/plain'],
])

/** `extension` with its dot, in any case. */
export function mediaType(extension: string): string {
  return MEDIA_TYPES.get(extension.toLowerCase()) ?? 'application/octet-stream'
}

/** A small valid file of that kind that contains its name; null for kinds that cannot be generated here. */
export function sampleBytes(extension: string, name: string): Uint8Array<ArrayBuffer> | null {
  switch (mediaType(extension)) {
    case 'application/pdf':
      return pdfBytes([name])
    case WORD:
      return docxBytes([name])
    case 'image/jpeg':
      return jpegBytes()
    case 'text/plain':
      return new TextEncoder().encode(`${name}\n`)
    default:
      return null
  }
}
