// Separates files from errors. A document call may return either: content type and first bytes decide (facts: 7.1).

const MEDIA_TYPES = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  jpg: 'image/jpeg',
} as const

/** The type shown by the first bytes; null for anything but the three. */
function kindOf(bytes: Uint8Array): keyof typeof MEDIA_TYPES | null {
  if (startsWith(bytes, [0x25, 0x50, 0x44, 0x46, 0x2d])) return 'pdf'
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])) return 'docx'
  return startsWith(bytes, [0xff, 0xd8, 0xff]) ? 'jpg' : null
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte)
}

/** Not readable as text: known first bytes, or a content type that is not text. */
export function isFile(contentType: string, bytes: Uint8Array): boolean {
  if (kindOf(bytes)) return true
  return contentType !== '' && !/json|text|html|xml|javascript|urlencoded/i.test(contentType)
}

/**
 * The document in a success answer. Null when the bytes are not what was requested: an HTML page, an empty body, a
 * picture instead of a PDF. The first bytes take precedence over the content type.
 */
export function readDocument(
  bytes: Uint8Array | undefined,
  format: 'pdf' | 'docx' | 'jpg',
): { bytes: Uint8Array; mediaType: string } | null {
  return bytes && kindOf(bytes) === format ? { bytes, mediaType: MEDIA_TYPES[format] } : null
}
