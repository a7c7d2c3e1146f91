// The two forms of an e-mail's text, and the tag the platform replaces with a staff signature (facts: section 6).

const SIGNATURE_TAG = '<platform-user-signature></platform-user-signature>'
const ANY_SIGNATURE = /<platform-user-signature\s*(?:\/>|>\s*<\/platform-user-signature\s*>|>)/gi
/** Other ways to request a signature in a text. */
const WISHES = /\{\{?\s*(?:staff[_ ]signature|signature)\s*\}?\}/gi

/** Plain text as HTML that looks the same. */
export function htmlOfText(text: string): string {
  const paragraphs = escapeHtml(text.replaceAll('\r\n', '\n'))
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
  return paragraphs.join('')
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** Replaces requests for a signature with the platform's tag. Run it on the rule's text before filling in values. */
export function withSignatureTags(html: string): string {
  return html.replace(WISHES, SIGNATURE_TAG).replace(ANY_SIGNATURE, SIGNATURE_TAG)
}

/** Does a plain text request a signature? There it goes to the end. */
export function asksForSignature(text: string): boolean {
  return withSignatureTags(text) !== text
}

export function wantsSignature(html: string): boolean {
  return html.includes(SIGNATURE_TAG)
}

/** Adds the signature at the end of the text, inside the body if there is one. */
export function withSignature(html: string): string {
  if (wantsSignature(html)) return html
  const end = html.search(/<\/body\s*>/i)
  return end < 0 ? `${html}${SIGNATURE_TAG}` : `${html.slice(0, end)}${SIGNATURE_TAG}${html.slice(end)}`
}

export function withoutSignature(html: string): string {
  return html.replaceAll(SIGNATURE_TAG, '')
}

/** True when there is nothing to read: tags alone are empty, a picture is not. */
export function isEmptyHtml(html: string): boolean {
  return !/<img\b/i.test(html) && html.replace(/<[^<>]*>/g, '').replace(/&nbsp;|\s/g, '') === ''
}
