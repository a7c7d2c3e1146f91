// Small but valid files: a one-page PDF, a Word document, a JPEG.

const encoder = new TextEncoder()

/** A4, one line of text per row in Helvetica. Characters outside Latin-1 become `?`. */
export function pdfBytes(lines: readonly string[]): Uint8Array<ArrayBuffer> {
  const text = lines
    .slice(0, 45)
    .map((line) => `(${latin(line).replaceAll(/[\\()]/g, '\\$&')}) Tj T*`)
    .join('\n')
  const stream = `BT /F1 11 Tf 15 TL 56 780 Td\n${text}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const start = file.length
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  // One byte per character: the offsets above are byte offsets.
  return Uint8Array.from(file, (character) => character.charCodeAt(0))
}

function latin(text: string): string {
  return text.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?')
}

/** One paragraph per line. */
export function docxBytes(lines: readonly string[]): Uint8Array<ArrayBuffer> {
  const paragraphs = lines.map((line) => `<w:p><w:r><w:t xml:space="preserve">${xml(line)}</w:t></w:r></w:p>`).join('')
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
  const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
  const main = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'
  const packages = 'http://schemas.openxmlformats.org/package/2006'
  const link = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument'
  return zip({
    '[Content_Types].xml': `${head}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${main}"/></Types>`,
    '_rels/.rels': `${head}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${link}" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `${head}<w:document xmlns:w="${word}"><w:body>${paragraphs}</w:body></w:document>`,
  })
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** A ZIP archive without compression. */
function zip(files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const directory: Uint8Array<ArrayBuffer>[] = []
  let offset = 0
  const entries = Object.entries(files)
  for (const [name, text] of entries) {
    const data = encoder.encode(text)
    const nameBytes = encoder.encode(name)
    // Shared by both headers: version, flags, method, time, date (1 January 2026), checksum, sizes, name length, no extra.
    const common = [
      ...number(20, 2),
      ...number(0, 2),
      ...number(0, 2),
      ...number(0, 2),
      ...number(0x5c21, 2),
      ...number(crc32(data), 4),
      ...number(data.length, 4),
      ...number(data.length, 4),
      ...number(nameBytes.length, 2),
      ...number(0, 2),
    ]
    const local = Uint8Array.from([...number(0x04034b50, 4), ...common, ...nameBytes, ...data])
    parts.push(local)
    directory.push(
      Uint8Array.from([
        ...number(0x02014b50, 4),
        ...number(20, 2),
        ...common,
        ...number(0, 2),
        ...number(0, 2),
        ...number(0, 2),
        ...number(0, 4),
        ...number(offset, 4),
        ...nameBytes,
      ]),
    )
    offset += local.length
  }
  const size = directory.reduce((sum, one) => sum + one.length, 0)
  const end = Uint8Array.from([
    ...number(0x06054b50, 4),
    ...number(0, 4),
    ...number(entries.length, 2),
    ...number(entries.length, 2),
    ...number(size, 4),
    ...number(offset, 4),
    ...number(0, 2),
  ])
  return joined([...parts, ...directory, end])
}

/** Little-endian. */
function number(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => (value >>> (8 * index)) & 0xff)
}

function crc32(data: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of data) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** One grey pixel, a baseline JPEG. */
const PIXEL =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z'

export function jpegBytes(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(PIXEL), (character) => character.charCodeAt(0))
}
