// A refusal as a page, for browsers. Plain HTML: it has to work where none of our pages can be rendered, such as before
// the router or in the platform's frame.

/** The text of such a page: one heading, one or two sentences, and a link onward if there is one. */
export interface RefusalText {
  title: string
  sentence: string
  way?: { href: string; label: string }
}

/** Opened with something used, expired, or unsigned. */
export const OPEN_AGAIN: RefusalText = {
  title: 'Open Fieldhook again',
  sentence: 'For your safety each opening works once. Close this and press Fieldhook in ServiceM8.',
}

/** Any other refusal, with the sentence that programs also get. */
export function refusalText(message: string): RefusalText {
  return { title: 'That did not work', sentence: message, way: { href: '/', label: 'Go to the start page' } }
}

/** Browsers name `text/html`; programs name another type, or accept anything. `accept` = the header. */
export function acceptsHtml(accept: string | null | undefined): boolean {
  const html = (accept ?? '').split(',').find((range) => /^\s*text\/html\s*(;|$)/i.test(range))
  return html !== undefined && !/;\s*q=0(\.0*)?\s*(;|$)/i.test(html)
}

/** A browser that opens the address the platform posts to. A challenge always comes from the platform. */
export function isVisit(asked: {
  method?: string | undefined
  url?: string | undefined
  accept?: string | null | undefined
}): boolean {
  return asked.method === 'GET' && !/[?&]challenge=/.test(asked.url ?? '') && acceptsHtml(asked.accept)
}

/** A refusal before the router as a page; null = a program asked, or the call always returns JSON. */
export function refusalPage(asked: {
  url: string | undefined
  accept: string | undefined
  message: string
  origin: string
}): string | null {
  const call = /^\/api\/(?!oauth\/)/i.test(asked.url ?? '')
  return call || !acceptsHtml(asked.accept) ? null : refusalHtml(refusalText(asked.message), asked.origin)
}

/** The page's HTML; `origin` = our public one, because the platform may show it under its own address. */
export function refusalHtml({ title, sentence, way }: RefusalText, origin: string): string {
  const link = way ? `\n<p><a href="${escapeHtml(origin + way.href)}">${escapeHtml(way.label)}</a></p>` : ''
  return plainHtml(`<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(sentence)}</p>${link}`, { title, origin })
}

/** `body` = markup that is already safe. */
export function plainHtml(body: string, { title, origin }: { title: string; origin: string }): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title === '' ? 'Fieldhook' : `${title} · Fieldhook`)}</title>
<link rel="stylesheet" href="${escapeHtml(origin)}/plain.css"></head>
<body><main>
${body}
</main></body></html>
`
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
