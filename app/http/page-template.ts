// A rendered page with slots: the parts that differ between visitors are cut out once and filled in for each. The rest
// stays as encoded bytes: encoding a long page per visitor would cost more than everything else.

/** Placeholder texts for the slots. Random for each process, so no request can contain one. */
interface Slots {
  nonce: string
  /** The account that the address names. */
  account: string
  /** The sign-in token in the address. */
  token: string
  /** The page's own address, as used in its link to itself. */
  here: string
}

type Filling = Readonly<Record<keyof Slots, string>>

type Hole = { of: keyof Slots; inScript: boolean }
export type PageTemplate = readonly (Buffer | Hole)[]

/** Cuts the page at its slots. `here` is the longest: it may contain the others. */
export function cutPage(html: string, slots: Readonly<Partial<Slots>>): PageTemplate {
  const texts = (['here', 'nonce', 'account', 'token'] as const).flatMap((of) => {
    const text = slots[of]
    return text ? [{ of, text: of === 'here' ? escapeAttribute(text) : text }] : []
  })
  const parts: (Buffer | Hole)[] = []
  let from = 0
  while (true) {
    const next = texts
      .map((slot) => ({ ...slot, at: html.indexOf(slot.text, from) }))
      .filter(({ at }) => at !== -1)
      // Of two that start at the same place, the longer one.
      .sort((a, b) => a.at - b.at || b.text.length - a.text.length)[0]
    if (!next) break
    parts.push(Buffer.from(html.slice(from, next.at)), { of: next.of, inScript: isInScript(html, next.at) })
    from = next.at + next.text.length
  }
  parts.push(Buffer.from(html.slice(from)))
  return parts
}

/** The page's bytes. */
export function fillPage(template: PageTemplate, filling: Filling): Buffer {
  const [first] = template
  if (template.length === 1 && Buffer.isBuffer(first)) return first
  return Buffer.concat(
    template.map((part) => (Buffer.isBuffer(part) ? part : Buffer.from(fill(part, filling[part.of])))),
  )
}

function fill({ of, inScript }: Hole, value: string): string {
  if (of === 'nonce') return value
  if (inScript) return inScriptText(value)
  return escapeAttribute(of === 'here' ? value : new URLSearchParams({ v: value }).toString().slice(2))
}

/** For the page's data: JSON inside JSON text, with nothing that ends the script. */
function inScriptText(value: string): string {
  const once = JSON.stringify(value).slice(1, -1)
  const escapes = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(once)
    .slice(1, -1)
    .replace(/[&<>\u2028\u2029]/g, escapes)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
}

/** Escapes like the renderer. */
function escapeAttribute(value: string): string {
  return value.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
}

function isInScript(html: string, at: number): boolean {
  const begun = html.lastIndexOf('<script', at)
  // In the tag itself it is an attribute.
  return begun !== -1 && html.lastIndexOf('</script', at) < begun && html.indexOf('>', begun) < at
}
