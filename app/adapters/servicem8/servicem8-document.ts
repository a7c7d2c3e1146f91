// A file or an error? Producing a document answers either, so the content type and the first bytes decide (facts: 7.1).

const MEDIA_TYPES = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  jpg: 'image/jpeg',
} as const

/** What the first bytes show; null for everything that is none of the three. */
function kindOf(bytes: Uint8Array): keyof typeof MEDIA_TYPES | null {
  if (startsWith(bytes, [0x25, 0x50, 0x44, 0x46, 0x2d])) return 'pdf'
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])) return 'docx'
  return startsWith(bytes, [0xff, 0xd8, 0xff]) ? 'jpg' : null
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte)
}

/** Not to be read as text: known first bytes, or a type that is no text. */
export function isFile(contentType: string, bytes: Uint8Array): boolean {
  if (kindOf(bytes)) return true
  return contentType !== '' && !/json|text|html|xml|javascript|urlencoded/i.test(contentType)
}

/**
 * The document in an answer that is no error. Null when the bytes are not what was asked for: a page of HTML, an empty body, a
 * picture instead of a PDF. What the content type claims does not count against the first bytes.
 */
export function readDocument(
  bytes: Uint8Array | undefined,
  format: 'pdf' | 'docx' | 'jpg',
): { bytes: Uint8Array; mediaType: string } | null {
  return bytes && kindOf(bytes) === format ? { bytes, mediaType: MEDIA_TYPES[format] } : null
}
