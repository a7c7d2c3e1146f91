// Texts made plain: without tags, with a capital, and as a search compares them.
/** Removes the tags of an HTML text, for a preview and a plain body. Never display as HTML. A `<` ends an open tag. */
export function plainText(html: string): string {
  return html
    .replace(/<(br|\/p|\/div|\/li|\/tr|\/h\d)[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** With a capital first letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** In small letters (A–Z, as a database does), with straight apostrophes (phones write ’) and single spaces. */
export function foldedForSearch(text: string): string {
  const plain = text.trim().replace(/\s+/g, ' ').replace(/[‘’]/g, "'")
  return plain.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
